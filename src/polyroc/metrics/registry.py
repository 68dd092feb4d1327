"""All metrics by name. Importing :mod:`polyroc.metrics` loads every metric."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from polyroc._base.checks import did_you_mean, shown
from polyroc.errors import InvalidInput, InvalidType, UnknownName
from polyroc.metrics.declaration import Metric, Occasion


def meant(name: object, metrics: Iterable[Metric]) -> str:
    """A question about the metric of this symbol, or else of a name spelled alike; or nothing."""
    known = {metric.name: metric.symbol for metric in metrics}
    if isinstance(name, str):
        for each, symbol in known.items():
            if name.replace("_", "").casefold() == symbol.replace("_", "").casefold():
                return did_you_mean(each, [each])
    return did_you_mean(name, known)


class Registry(Mapping[str, Metric]):
    """Metrics by name, in alphabetical order."""

    def __init__(self) -> None:
        self._metrics: dict[str, Metric] = {}

    def add(self, metric: Metric) -> Metric:
        """Add a metric, whose name must be new, and return it."""
        if metric.name in self._metrics:
            raise InvalidInput(f"There are two metrics {metric.name!r}. Give one another name.")
        self._metrics[metric.name] = metric
        return metric

    def __getitem__(self, name: str) -> Metric:
        if name not in self:
            raise UnknownName(
                f"There is no metric {shown(name)}.{meant(name, self.values())} "
                f"The metrics are {', '.join(self)}."
            )
        return self._metrics[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._metrics

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._metrics))

    def __len__(self) -> int:
        return len(self._metrics)

    def __reduce__(self) -> Any:
        """Pickled by name: there is one registry in each process."""
        return "registry" if self is registry else super().__reduce__()

    def sign_of(self, name: str) -> int:
        """−1 for a metric where lower is better, else 1; also for a name that is no metric's."""
        return self._metrics[name].sign if name in self else 1

    def select(self, names: Iterable[str] | str | None, occasion: Occasion) -> list[Metric]:
        """Metrics by names, each once; "all": every one.

        None: those that are defined for this number of classes, are affordable for these cases, and
        differ from each other. So two classes get the AUC once and not under nine names, three
        classes the volumes up to 3,000 cases, and many classes no volumes.
        """
        if names is None:
            return [metric for metric in self.values() if metric.by_default(occasion)]
        return self.named(names)

    def named(self, names: Iterable[str] | str) -> list[Metric]:
        """Metrics by names, each once; "all": every one."""
        if isinstance(names, str):
            return list(self.values()) if names == "all" else [self[names]]
        try:
            listed = list(names)
        except Exception:  # no sequence, or one that cannot be gone through
            raise InvalidType(
                f'metrics must be names, "all" or None, got {shown(names)}.'
            ) from None
        return list({name: self[name] for name in listed}.values())


registry = Registry()
