"""``polyroc surface``: which trade-offs between errors there are, and which to choose."""

import math
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from polyroc._base.wording import plural
from polyroc.cli.completion import complete_files
from polyroc.cli.options import (
    NONE,
    Asked,
    Command,
    bundled,
    json_option,
    names,
    normalize_option,
    role_options,
    seed_option,
    with_options,
)
from polyroc.cli.saving import Saving, check_distinct
from polyroc.cli.wording import printable
from polyroc.errors import InvalidInput

if TYPE_CHECKING:
    from polyroc.readers import FilePredictions
    from polyroc.results import Estimate
    from polyroc.surface import Model, RocSurface, SurfacePoint

KINDS = ("knn", "mlp", "linear")
ENDS = {
    "converged": "G has converged",
    "points": "the front has 50,000 points",
    "generations": "G may still grow",
}
CRITERIA = ("total_error", "farthest_from_chance")


class Wanted(NamedTuple):
    """Which operating points are wanted, as options say."""

    costs: str | None
    limits: tuple[str, ...]
    confidence: float | None

    def read(self, classes: tuple[Any, ...]) -> tuple[Any, dict[Any, float], float | None]:
        """Costs, limits and their confidence as the library takes them."""
        costs = None if self.costs is None else read_costs(self.costs, classes)
        limits: dict[Any, float] = {}
        for limit in self.limits:
            limits.update(parsed_limit(limit, classes))
        if self.confidence is not None:
            if not limits:
                message = "--confidence applies to limits. Give a --limit, too."
                raise InvalidInput(message)
            if not 0 < self.confidence < 1:
                raise InvalidInput(
                    f"--confidence must lie between 0 and 1, got {self.confidence:g}."
                )
        return costs, limits, self.confidence


_POINTS = (
    click.option(
        "--costs",
        metavar="JSON",
        help="File of costs (errors not named cost 1): choose the point with the lowest expected "
        "cost.",
    ),
    click.option(
        "--limit",
        "limits",
        multiple=True,
        metavar="TRUTH>DECIDED=RATE",
        help="Highest rate of an error, such as 'ill>well=0.05'; may be repeated.",
    ),
    click.option(
        "--confidence",
        type=float,
        help="Confidence with which limits should hold on new cases, such as 0.95; by default "
        "only the rates on these cases must meet them, and rates on new cases are often higher.",
    ),
)


def point_options(command: Command) -> Command:
    """The options of operating points; a command gets them as ``wanted``."""
    return with_options(bundled(command, "wanted", Wanted), _POINTS)


@click.command(short_help="Find trade-offs between errors, choose among them.")
@click.argument("file", shell_complete=complete_files)
@role_options
@click.option("--features", is_flag=True, help="FILE contains features, not scores.")
@click.option(
    "--drop",
    metavar="NAMES",
    callback=names,
    help="With --features: columns that are not features.",
)
@click.option(
    "--model", metavar="NAME", help="With --features: knn, mlp or linear; else a model in FILE."
)
@normalize_option
@click.option(
    "--generations",
    type=click.IntRange(min=0),
    default=500,
    show_default=True,
    help="Generations of the search, at most; it ends when G has converged.",
)
@click.option("--checkpoint", metavar="PATH", help="File to save to, and to resume from.")
@click.option("-o", "--output", metavar="PATH", help="NPZ file to write the surface to.")
@point_options
@click.option(
    "--knee",
    is_flag=True,
    help="Also the knee: the point without which the mean cost would rise most if costs were "
    "random.",
)
@seed_option
@json_option
def surface(
    file: str,
    asked: Asked,
    features: bool,
    drop: list[str] | None,
    model: str | None,
    normalize: bool,
    generations: int,
    checkpoint: str | None,
    output: str | None,
    wanted: Wanted,
    knee: bool,
    seed: int | None,
    as_json: bool,
) -> None:
    """Find the ROC surface of the predictions in FILE and choose operating points on it.

    The surface contains the trade-offs between kinds of errors that no other dominates (Everson &
    Fieldsend 2006), found by classifying with many costs; with --features also by varying a
    classifier. G is the share of the region better than chance that it dominates.
    """
    from polyroc.cli.report import check_output
    from polyroc.cli.screen import reading, working

    written = {"--checkpoint": checkpoint, "--output": output}
    check_distinct({"FILE": file, "--costs": wanted.costs}, written)
    if output is not None:
        check_output(output)
    with reading():
        searched, source, described = _model(file, asked, features, drop, model, normalize)
        points = wanted.read(searched.classes)
    saving = Saving()
    with saving.checkpoints():
        found = _search(searched, generations, seed, checkpoint)
    with working("computing G"):
        gini = found.gini(rng=found.provenance["seed"])
    chosen = [*_points(found, *points), *_knee(found, knee)]
    if output is not None and not saving.save(partial(found.save, output)):
        output = None
    if as_json:
        from polyroc.cli.documents import print_document

        print_document("surface", {"input": source, "surface": _plain(found, gini, chosen, output)})
    else:
        _print(_start(source, found, described), found, gini, chosen, output)
    saving.check()


def _knee(found: "RocSurface", asked: bool) -> "list[SurfacePoint]":
    """The knee, where it is asked for."""
    from polyroc.cli.screen import working

    if not asked:
        return []
    with working("looking for the knee"):
        return [found.choose(criterion="knee", rng=found.provenance["seed"])]


def _start(source: dict[str, Any], found: "RocSurface", described: list[str]) -> list[str]:
    """What was read, in words."""
    path, cases = source["files"][0]["path"], plural(source["cases"], "case")
    classes = plural(found.n_classes, "class")
    return [f"{path}: {cases} of {classes}.", *described]


def _model(
    file: str,
    asked: Asked,
    features: bool,
    drop: list[str] | None,
    model: str | None,
    normalize: bool,
) -> "tuple[Model, dict[str, Any], list[str]]":
    """What is searched, what was read for it, and that in words."""
    if features:
        _refuse(columns=asked.columns, labels=asked.labels, weights=asked.weights)
        return _feature_model(file, asked.target, drop, model or "linear")
    _refuse(drop=drop)
    return _score_model(asked._replace(groups=NONE).read(file, model), normalize)


def _refuse(**options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise InvalidInput(f"--{name} cannot be combined with this kind of FILE. Leave it out.")


def _score_model(
    cases: "FilePredictions", normalize: bool
) -> "tuple[Model, dict[str, Any], list[str]]":
    from polyroc.cli.documents import predictions_input
    from polyroc.predictions._classes import listed
    from polyroc.surface import ScoreModel

    if len(cases.models) > 1:
        raise InvalidInput(
            f"{cases.path} has the models {listed(cases.models)}. Choose one with model=."
        )
    _check_cases(cases)
    (scores,) = cases.models.values()
    model = ScoreModel(
        cases.y_true,
        scores,
        labels=list(cases.labels),
        sample_weight=cases.sample_weight,
        normalize=normalize,
    )
    return model, predictions_input([cases]), _read_as(cases)


def _check_cases(cases: "FilePredictions") -> None:
    """Whether every class has cases: a surface has rates of errors of each."""
    from polyroc.predictions._classes import listed

    absent = [label for label in cases.labels if not (cases.y_true == label).any()]
    if absent:
        raise InvalidInput(
            f"The class{'es' * (len(absent) > 1)} {listed(absent)} "
            f"{'have' if len(absent) > 1 else 'has'} no cases. Name the others with --labels and "
            "pass --normalize, or add cases."
        )


def _read_as(cases: "FilePredictions") -> list[str]:
    """Which column is what, and that groups are not used where a column is named like some."""
    from polyroc.predictions._classes import listed
    from polyroc.predictions._score_columns import is_named
    from polyroc.readers._names import GROUPS

    groups = [name for name in cases.roles.unused if is_named(name, GROUPS)]
    note = (
        f"Note. Intervals treat cases as independent, also those with the same {listed(groups)}: "
        "if such cases are alike, the intervals are too narrow."
    )
    return [f"Read as: {cases.roles.describe()}.", *([note] if groups else [])]


def _feature_model(
    file: str, target: str | None, drop: list[str] | None, kind: str
) -> "tuple[Model, dict[str, Any], list[str]]":
    from polyroc.cli.columns import features_read
    from polyroc.cli.documents import features_input
    from polyroc.readers import read_features
    from polyroc.surface import KnnModel, LinearModel, MlpModel

    if kind not in KINDS:
        raise InvalidInput(f"With --features, --model is knn, mlp or linear, got {kind!r}.")
    cases = read_features(file, target=target, drop=drop or ())
    made: dict[str, Any] = {"knn": KnnModel, "mlp": MlpModel, "linear": LinearModel}
    return made[kind](cases.X, cases.y), features_input(cases), features_read(cases)


def read_costs(path: str, classes: tuple[Any, ...]) -> Any:
    """Costs from a JSON file: rows in the order of the classes, or {truth: {decided: cost}}."""
    import json

    from polyroc._base.checks import reason_of
    from polyroc._storage.paths import path_of
    from polyroc.readers._files import content_of
    from polyroc.surface._costs import checked_costs

    text = content_of(str(path_of(path, "--costs")))
    try:
        content = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} cannot be read as JSON: {reason_of(error)}.") from None
    form = "Write {truth: {decided: cost}}, or rows of numbers in the order of the classes."
    if isinstance(content, dict):
        if not all(isinstance(row, dict) for row in content.values()):
            raise InvalidInput(f"{path} does not contain costs. {form}")
        content = {
            (label_of(truth, classes), label_of(decided, classes)): cost
            for truth, row in content.items()
            for decided, cost in row.items()
        }
    try:
        return checked_costs(content, classes)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{path}: {error} {form}") from None


def label_of(name: str, classes: tuple[Any, ...]) -> Any:
    """The class that a name spells."""
    from polyroc._base.checks import did_you_mean, shown
    from polyroc.predictions._classes import listed

    for label in classes:
        if str(label) == name:
            return label
    hint = did_you_mean(name, [str(label) for label in classes])
    raise InvalidInput(f"{shown(name)} is not a class.{hint} There are {listed(classes)}.")


def parsed_limit(text: str, classes: tuple[Any, ...]) -> dict[tuple[Any, Any], float]:
    """``truth>decided=rate``; names may contain > and = if one reading makes sense."""
    from polyroc._base.checks import did_you_mean, shown
    from polyroc.predictions._classes import listed

    pair, sign, rate = text.rpartition("=")
    names = {str(label): label for label in classes}
    places = [place for place, each in enumerate(pair) if each == ">"]
    readings = [(pair[:place].strip(), pair[place + 1 :].strip()) for place in places]
    known = [reading for reading in readings if reading[0] in names and reading[1] in names]
    try:
        most = float(rate)
    except ValueError:
        most = -1
    if not sign or not readings or not 0 <= most <= 1:
        raise InvalidInput(
            f"The limit {text!r} is not TRUTH>DECIDED=RATE with a rate from 0 to 1, such as "
            f"'{classes[0]}>{classes[1]}=0.05'."
        )
    if len(known) != 1:
        unknown = [] if known else [each for pair in readings for each in pair if each not in names]
        hint = next(filter(None, (did_you_mean(each, names) for each in unknown)), "")
        raise InvalidInput(
            f"{shown(pair)} does not name two of the classes {listed(classes)}.{hint}"
        )
    return {(names[known[0][0]], names[known[0][1]]): most}


def _search(
    model: "Model", generations: int, seed: int | None, checkpoint: str | None
) -> "RocSurface":
    """The surface; a search that Ctrl-C ended is not taken for one that is done."""
    from polyroc.surface import search

    found = search(model, generations=generations, rng=seed, checkpoint=checkpoint)
    done = found.provenance["generations"]
    if found.provenance["stopped"] == "interrupted":
        kept = f" Resume with the same command and {checkpoint}." if checkpoint else ""
        raise KeyboardInterrupt(f"Stopped after {done} of {generations} generations.{kept}")
    return found


def _points(
    found: "RocSurface",
    costs: Any,
    limits: dict[tuple[Any, Any], float],
    confidence: float | None,
) -> "list[SurfacePoint]":
    """The point asked for, or else the best by each criterion."""
    if costs is not None or limits:
        return [found.choose(costs=costs, limits=limits or None, confidence=confidence)]
    return [found.choose(criterion=each) for each in CRITERIA]  # type: ignore[call-overload]


def _plain(
    found: "RocSurface", gini: "Estimate", points: "list[SurfacePoint]", output: str | None
) -> dict[str, Any]:
    from polyroc._base.tables import without_nan

    return {
        "model": found.provenance["model"],
        "points": len(found),
        "generations": found.provenance["generations"],
        "evaluations": found.provenance["evaluations"],
        "stopped": found.provenance["stopped"],
        "seed": found.provenance["seed"],
        "gini": gini.to_dict(),
        "operating_points": [
            {
                "criterion": point.criterion,
                "value": point.value,
                "index": point.index,
                "confusion": point.confusion.tolist(),
                "costs": point.costs.tolist(),
                "costs_asked": None if point.costs_asked is None else point.costs_asked.tolist(),
                "intervals": [without_nan(row) for row in point.rows()],
                "notes": [note._asdict() for note in point.notes],
            }
            for point in points
        ],
        "output": output,
    }


def _gini_line(gini: "Estimate") -> str:
    """G with its interval, and how it was computed."""
    low, high, *_ = gini.interval()
    interval = "no interval" if math.isnan(low) else f"95 % interval {low:.4f} to {high:.4f}"
    sampled = gini.settings.get("monte_carlo_error")
    error = "" if sampled is None else f", Monte Carlo error {sampled:.1e} included"
    return f"G = {gini.value:.4f} ({interval}{error}; {gini.method}, on the cases searched)."


def _print(
    start: list[str],
    found: "RocSurface",
    gini: "Estimate",
    points: "list[SurfacePoint]",
    output: str | None,
) -> None:
    from polyroc.cli.points import point_tables
    from polyroc.cli.screen import console, show

    screen, history = console(), found.provenance
    for line in start:
        screen.print(printable(line))
    effort = f"{plural(history['generations'], 'generation')}, seed {history['seed']}"
    screen.print(
        f"{plural(len(found), 'operating point')} on the surface "
        f"({effort}; {ENDS[history['stopped']]})."
    )
    screen.print(f"{_gini_line(gini)}\n")
    for point in points:
        for made in point_tables(point, screen.width):
            show(screen, made)
        for note in point.notes:
            screen.print(printable(f"{note.text[:1].upper()}{note.text[1:]}."))
            screen.print()
    screen.print(
        "Rates are those on the cases used for the search, and intervals treat the point as fixed; "
        "expect higher rates on new cases, where limits may be exceeded. Check the point on cases "
        "that were not used for the search."
    )
    if output is not None:
        screen.print(printable(f"Surface: {output}"), soft_wrap=True)
