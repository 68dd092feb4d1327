"""All pieces of work, in the order of the page."""

from peers import (
    bootstrap_replicates,
    few_cases,
    gini_volume,
    growth_in_cases,
    growth_in_classes,
    intervals,
    peak_memory,
    streaming_files,
    surface_search,
    triplet_volumes,
)
from peers.work import Work

WORKS: dict[str, Work] = {
    module.WORK.name: module.WORK
    for module in (
        growth_in_cases,
        growth_in_classes,
        few_cases,
        peak_memory,
        triplet_volumes,
        bootstrap_replicates,
        intervals,
        surface_search,
        gini_volume,
        streaming_files,
    )
}
