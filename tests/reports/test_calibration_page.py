"""The page of a calibration: its figures against slow ones, and what it says in every case that can come up."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from math import erf, inf, log, nan, sqrt

import numpy as np
import pandas as pd
import pytest
from making import SHARED, Game, Member, Section, dated, history, needs_shared, outcome

import ratinglab
from ratinglab import plots
from ratinglab.calibration.calibrating import Calibration, calibrate
from ratinglab.output import Content
from ratinglab.plots.calibration import bands, cell_edges
from ratinglab.reports import calibration_page, calibration_words
from ratinglab.reports.calibration_page import Counting, gain, meaning, projected
from ratinglab.reports.publication import alone_with_data
from ratinglab.resampling import event_draws
from ratinglab.sample import individual_circuit
from ratinglab.systems import Elo, Glixo, parse

DATE = "2010-02-20"


@pytest.fixture(scope="module")
def circuit() -> ratinglab.History:
    return individual_circuit(np.random.default_rng(5), players=12, events=12, rounds=5)[0]


@pytest.fixture(scope="module")
def two(circuit: ratinglab.History) -> Calibration:
    return calibrate(circuit, "glixo", ["b=4:6:3", "tau=70:110:5"], fit=True, test_from=DATE)


def files(c: Calibration, counting: Counting) -> dict[str, Content]:
    """What is written of it."""
    return alone_with_data(calibration_page.page(c, counting), 1)


def text_of(page: bytes) -> str:
    """What a reader sees, spaces folded; fails where a tag is left open."""

    class Reader(HTMLParser):
        open: list[str] = []  # noqa: RUF012
        seen: list[str] = []  # noqa: RUF012

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "br", "path", "use", "link"):
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            if tag in ("path", "use"):
                return
            assert self.open.pop() == tag

        def handle_data(self, data: str) -> None:
            if not {"style", "script"} & set(self.open):
                self.seen.append(data)

    reader = Reader()
    reader.open, reader.seen = [], []
    reader.feed(page.decode())
    assert reader.open == []
    return " ".join(" ".join(reader.seen).split())


def shown(c: Calibration, counting: Counting | None = None) -> str:
    return text_of(bytes(files(c, counting or Counting())["calibration.html"]))


class TestFigures:
    """What the page computes itself."""

    def test_gain_is_the_difference_of_two_replays_scored_one_by_one(self, two: Calibration) -> None:
        table = gain(two, Counting(min_games=0)).set_index("metric")
        before = two.schedule.history.events["end_date"].to_numpy() < np.datetime64(DATE)
        subset = before[two.schedule.event_of_game()]
        for column, system in (("as_given", two.system), ("tuned", two.best)):
            one = ratinglab.score(ratinglab.replay(two.schedule, system), subset=subset).iloc[0]
            for metric in table.index:
                assert table.loc[metric, column] == pytest.approx(one[metric], abs=1e-12)
        losses = table.drop(index="z_sd")
        assert (losses["difference"] == losses["tuned"] - losses["as_given"]).all()
        assert table.loc["z_sd", ["difference", "low", "high"]].isna().all()

    def test_gain_agrees_with_the_split_of_the_calibration(self, two: Calibration) -> None:
        assert two.test is not None
        mine = gain(two, Counting()).set_index("metric").drop(index="z_sd")
        theirs = two.test[(two.test["part"] == "tuned on") & (two.test["which"] == "tuned")].set_index("metric")
        for name in ("difference", "low", "high"):
            assert mine[name].to_numpy() == pytest.approx(theirs.loc[mine.index, name].to_numpy(), abs=1e-12)

    def test_the_interval_of_a_gain_is_that_of_events_drawn_one_by_one(self, circuit: ratinglab.History) -> None:
        """Oracle: forecasts and results as lists, each resample's mean added up game by game."""
        c = calibrate(circuit, "elo", ["k=10:60:6"])
        row = gain(c, Counting(seed=4, resamples=60)).set_index("metric").loc["log_loss"]
        sums: list[dict[str, tuple[float, int]]] = []
        for system in (c.system, c.best):
            each: dict[str, tuple[float, int]] = {}
            for game in ratinglab.replay(c.schedule, system).forecasts.to_dict("records"):
                loss = -(game["result"] * log(game["win"]) + (1 - game["result"]) * log(1 - game["win"]))
                total, count = each.get(game["event"], (0.0, 0))
                each[game["event"]] = (total + loss, count + 1)
            sums.append(each)
        events = [event for event in c.schedule.history.events["event"] if event in sums[0]]
        differences = []
        for draw in event_draws(len(events), 4, 60):
            means = []
            for each in sums:
                total = games = 0.0
                for event, times in zip(events, draw, strict=True):
                    total += times * each[event][0]
                    games += times * each[event][1]
                means.append(total / games)
            differences.append(means[1] - means[0])
        assert [row["low"], row["high"]] == pytest.approx(np.quantile(differences, [0.025, 0.975]), abs=1e-12)

    @pytest.mark.parametrize("glixo", [Glixo(), Glixo(b=7, tau=100)], ids=lambda system: system.label)
    def test_meaning_of_glixo_by_its_formulas(self, glixo: Glixo) -> None:
        """Φ(d/√(b²τ² + 2σ²)), d/b, and σ²/(σ² + b²τ² + σ²)·(b·50 - d), with σ = 50."""
        table = meaning(Glixo(), glixo)
        rho = (glixo.b * glixo.tau) ** 2 + 50**2
        for row in table.to_dict("records"):
            d = row["gap"]
            assert row["win_tuned"] == pytest.approx((1 + erf(d / sqrt(rho + 50**2) / sqrt(2))) / 2, abs=1e-12)
            assert row["spread_tuned"] == pytest.approx(d / glixo.b)
            assert row["gain_tuned"] == pytest.approx(50**2 / (50**2 + rho) * (glixo.b * 50 - d), abs=1e-9)

    def test_meaning_of_elo_by_its_formula(self) -> None:
        table = meaning(Elo(k=20), Elo(k=32, scale=400))
        for row in table.to_dict("records"):
            win = 1 / (1 + 10 ** (-row["gap"] / 400))
            assert row["win_tuned"] == pytest.approx(win, abs=1e-12)
            assert row["gain_tuned"] == pytest.approx(32 * (1 - win), abs=1e-9)
        assert table[["spread_as_given", "spread_tuned"]].isna().all(axis=None)

    @pytest.mark.parametrize("name", [n for n, kind in ratinglab.systems.SYSTEMS.items() if kind.has_forecast])
    def test_every_system_that_forecasts_has_a_meaning(self, name: str) -> None:
        system = parse(name)
        assert not system.looks_back  # who looks at all games at once forecasts none
        table = meaning(system, system)
        assert table["win_as_given"].iloc[0] == pytest.approx(0.5, abs=0.1)  # elo-margin: who goes first has an edge
        assert table["win_as_given"].is_monotonic_increasing
        assert table["gain_as_given"].notna().all()

    def test_a_surface_over_two_of_three_axes_is_the_best_over_the_third(self) -> None:
        rng = np.random.default_rng(2)
        grid = [(a, b, c) for a in (1.0, 2.0) for b in (5.0, 6.0, 7.0) for c in (0.0, 1.0)]
        surface = pd.DataFrame(grid, columns=["a", "b", "c"]).assign(
            difference=rng.random(12), in_region=rng.random(12) < 0.3, in_profile=rng.random(12) < 0.3
        )
        made = projected(surface, ["a", "b"])
        assert len(made) == 6
        for row in made.to_dict("records"):
            mine = [s for s in surface.to_dict("records") if (s["a"], s["b"]) == (row["a"], row["b"])]
            assert row["difference"] == min(s["difference"] for s in mine)
            assert row["in_region"] == any(s["in_region"] for s in mine)
            assert row["in_profile"] == any(s["in_profile"] for s in mine)


class TestPage:
    """What it says."""

    def test_two_parameters_fitted_and_tested(self, two: Calibration) -> None:
        made = files(two, Counting(fit=True))
        page = text_of(bytes(made["calibration.html"]))
        tau = two.parameters.set_index("name").loc["tau"]
        assert f"τ = {tau['value']:.0f} ({tau['low']:.0f}–{tau['high']:.0f}); b is fixed by the scale" in page
        assert "Only b / initial_deviation is in the games" in page
        assert f"Tuned on the events that ended before {DATE}" in page
        assert "On the events from" in page
        assert "the best of them was then refined" in page
        assert f"{two.games} rated games of {two.events} events" in page
        assert page.count("b and initial_deviation together") == 1
        for word in ("nan", "None", "inf", "tau ="):
            assert not re.search(rf"\b{word}\b", page), word

    def test_every_table_stands_beside_it_as_csv(self, two: Calibration) -> None:
        made = files(two, Counting())
        page = bytes(made["calibration.html"]).decode()
        for name in made:
            assert name == "calibration.html" or f'<a href="{name}">' in page
        linked = set(re.findall(r'href="([^"#]+)"', page))
        assert linked == set(made) - {"calibration.html"} | {"manifest.json"}

    def test_the_same_bytes_again_and_no_player_named(self, two: Calibration) -> None:
        page = bytes(files(two, Counting())["calibration.html"])
        assert page == files(two, Counting())["calibration.html"]
        for player in two.schedule.history.entries["player"].unique():
            assert player.encode() not in page

    def test_pictures_tell_by_shape_and_line_and_not_by_colour_alone(self, two: Calibration) -> None:
        page = shown(two)
        for word in ("region, resampled events", "region, profile", "best", "as given", "interval, profile"):
            assert word in page

    def test_one_axis_has_no_heat_map_and_three_have_one_a_pair(self, circuit: ratinglab.History) -> None:
        one = bytes(files(calibrate(circuit, "elo", ["k=10:60:6"]), Counting())["calibration.html"]).decode()
        three = calibrate(circuit, "glixo", ["b=4:6:2", "tau=80:100:3", "initial_deviation=300:500:2"])
        page = bytes(files(three, Counting())["calibration.html"]).decode()
        assert (one.count("<figure"), page.count("<figure")) == (1, 4)
        assert "at the best of" in text_of(page.encode())
        assert "Spread" not in text_of(one.encode()).replace("SPREAD", "")
        assert "--test-from" in one

    def test_an_axis_of_one_value_is_held_and_not_drawn(self, circuit: ratinglab.History) -> None:
        page = shown(calibrate(circuit, "glixo", ["b=5.5", "tau=80:100:3"]))
        assert "b is held at 5.5" in page
        assert "b = 5.5, held" in page
        assert "0.0 to" not in page

    def test_a_metric_that_is_no_likelihood_has_no_profile_region(self, circuit: ratinglab.History) -> None:
        c = calibrate(circuit, "glixo", ["b=4:6:3", "tau=70:110:5"], metric="brier")
        page = shown(c)
        assert "region, profile" not in page
        assert "lowest Brier score" in page

    def test_an_optimum_at_the_end_of_the_range(self, circuit: ratinglab.History) -> None:
        page = shown(calibrate(circuit, "glixo", ["tau=20:50:4"]))
        assert "at the end of the range: search a wider one" in page
        assert "widen the range" in page
        assert "not within this range" in page

    def test_nothing_to_gain(self, circuit: ratinglab.History) -> None:
        best = calibrate(circuit, "elo", ["k=10:60:6"]).best
        page = shown(calibrate(circuit, best, ["k=10:60:6"]))
        assert "on these games there is nothing to gain" in page


def round_of(number: int, spreads: list[int | None], date: str) -> Section:
    """An event of four players and one round after another, with these spreads."""
    units = [[Member(f"Player {letter}")] for letter in "ABCD"]
    pairs = [(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)]
    games = [
        Game(1 + i // 2, a, b, spread, 0.5 if spread is None else outcome(spread))
        for i, ((a, b), spread) in enumerate(zip(pairs, spreads, strict=False))
    ]
    return Section(units, games, 3, date=date)


@needs_shared
def test_the_coco_history_read_as_a_committee() -> None:
    """What the reference says of it: by the spreads τ near 100, where z-sd is near 1; log loss alone to more.

    The reference has 130 for that: it took for ratings the 0 and 1 that stand in the files where there is none.
    """
    c = calibrate(ratinglab.load(SHARED / "coco"), "glixo", ["tau=60:160:6"], fit=True)
    page = shown(c)
    assert "τ = 99 (96–101). The answer" in page
    assert "Log loss 118" in page
    assert "z-sd – –" in page
    told = [float(value) for _, value in calibration_words.Told(c).product()]
    assert told == (5 * c.metrics["tau"].dropna()).round().tolist()  # b·τ, and b is 5
    row = c.metrics.set_index("metric").loc["z_sd"]
    assert abs(row["at_best"] - 1) < 2 * row["at_best_se"]


class TestSmallHistories:
    """One event, draws, spreads that are not known, teams."""

    def test_one_event_has_no_interval_and_says_so(self) -> None:
        one = history(round_of(1, [30, -10, 0, 60, 20, 5], "2024-01-01"))
        page = shown(calibrate(one, "glixo", ["tau=60:120:7"]))
        assert "How sure that is cannot be said from these games" in page
        assert "that takes two events or more" in page
        assert "nan" not in page

    def test_draws_and_unknown_spreads(self) -> None:
        events = [round_of(i, [30, 0, None, 60, -20, 5], f"2024-0{i}-01") for i in range(1, 6)]
        page = shown(calibrate(history(*events), "glixo", ["tau=60:120:7"]))
        assert "5 games without a known spread" in page

    def test_no_spread_known_at_all(self) -> None:
        events = [round_of(i, [None] * 6, f"2024-0{i}-01") for i in range(1, 6)]
        page = shown(calibrate(history(*events), "glixo", ["tau=60:120:7"]))
        assert "No spread is known: only wins and losses are scored" in page

    def test_teams(self) -> None:
        units = [[Member(f"Player {a}"), Member(f"Player {b}")] for a, b in ("AB", "CD", "EF", "GH")]
        plain = [round_of(i, [30, -40, 10, 60, -20, 5], f"2024-0{i}-01") for i in range(1, 6)]
        teams = [replace(section, units=units, teams=True) for section in plain]
        page = shown(calibrate(history(*dated(teams)), "glixo", ["b=4:6:2", "tau=60:120:7"]))
        assert "τ = " in page


class TestWords:
    """Sentences for what a calibration of real games would not easily give."""

    def changed(self, two: Calibration, **values: object) -> calibration_words.Told:
        table = two.parameters.set_index("name", drop=False)
        for name, value in values.items():
            table.loc["tau", name] = value
        return calibration_words.Told(replace(two, parameters=table.reset_index(drop=True)))

    @pytest.mark.parametrize(
        ("values", "said"),
        [
            ({"value": 98.2, "low": 94.1, "high": 103.4}, "τ = 98 (94–103)"),
            ({"value": 98.24, "low": 98.01, "high": 98.46}, "τ = 98.2 (98.0–98.5)"),
            ({"value": 98.2, "low": nan, "high": 103.4}, "τ = 98 (103 or less)"),
            ({"value": 98.2, "low": 94.1, "high": nan}, "τ = 98 (94 or more)"),
            ({"value": 98.2, "low": nan, "high": nan}, "τ = 98 (how sure is not known)"),
            ({"value": 90.0, "low": 94.1, "high": 103.4},
             "τ = 90 is the best of the grid, the optimum lies within 94–103"),
            ({"identified": False}, "τ is not fixed by these games"),
            ({"value": 110.0, "low": 94.0, "high": nan, "identified": False, "at_edge": True},
             "τ = 110 (94 or more), at the end of the range: search a wider one"),
        ],
    )  # fmt: skip
    def test_headline(self, two: Calibration, values: dict[str, object], said: str) -> None:
        assert said in self.changed(two, **values).headline().split("; ")

    def test_parameters_of_one_scale_are_told_together(self, circuit: ratinglab.History) -> None:
        c = calibrate(circuit, "elo", ["k=10:60:6", "scale=300:1500:7"])
        both = c.parameters.assign(identified=False, at_edge=False)
        told = calibration_words.Told(replace(c, parameters=both)).headline()
        assert told.startswith(
            "K and scale are fixed by the scale, not by the data; on the scale of these ratings K = 60 "
        )

    @pytest.mark.parametrize(
        ("difference", "low", "high", "said"),
        [
            (-0.01, -0.02, -0.005, "better than those as given"),
            (-0.01, -0.02, -0.005, "more than chance explains. In a typical game, the spread as played was held"),
            (-0.01, -0.02, 0.005, "may be chance: 0 lies in the interval"),
            (0.01, 0.005, 0.02, "worse than those as given"),
            (-0.5, -0.6, -0.4, "held to be 65 % more likely"),  # exp(0.5) = 1.65 times
            (0.5, 0.4, 0.6, "39 % less likely"),  # exp(-0.5) = 0.61 times
            (0.0, 0.0, 0.0, "both forecast equally well"),
            (-0.01, nan, nan, "that takes two events or more"),
        ],
    )  # fmt: skip
    def test_difference(self, two: Calibration, difference: float, low: float, high: float, said: str) -> None:
        row = {"metric": two.metric, "as_given": 6.1, "tuned": 6.1 + difference, "difference": difference}
        table = pd.DataFrame([row | {"low": low, "high": high}])
        assert said in calibration_words.Told(replace(two, events=10)).better(table)
        of_few = calibration_words.Told(replace(two, events=9)).better(table)  # of these no interval is to be relied on
        assert "more than chance explains" not in of_few
        assert ("yet 9 events are too few to rule out chance" in of_few) == (difference != 0 and (high < 0 or low > 0))

    def test_every_metric_that_can_be_minimised_has_words(self, two: Calibration) -> None:
        assert set(two.metrics["metric"]) <= set(calibration_words.METRICS)

    def test_every_written_file_has_words(self, two: Calibration) -> None:
        assert set(calibration_page.tables(two, Counting())) | {"best.json"} == set(calibration_words.FILES)


class TestPlots:
    """The pictures' own parts."""

    def test_bands_cover_every_difference_with_few_steps(self) -> None:
        for most in (1e-7, 0.00031, 0.5, 1.0, 730.0):
            levels = bands(np.array([0.0, most / 3, most]))
            assert levels[0] == 0
            assert levels[-1] >= most
            assert len(levels) <= 8
            assert (np.diff(levels) > 0).all()
        assert bands(np.zeros(3)).tolist() == [0.0, 1.0]

    def test_edges_hold_their_points(self) -> None:
        values = np.array([1.0, 2.0, 4.0, 9.0])
        edges = cell_edges(values)
        assert ((edges[:-1] < values) & (values < edges[1:])).all()

    def test_the_outline_goes_around_every_cell_of_the_region(self) -> None:
        """Its length is the number of sides between a cell that is inside and one that is not."""
        rng = np.random.default_rng(9)
        inside = rng.random((5, 7)) < 0.5
        table = pd.DataFrame([(x, y) for y in range(5) for x in range(7)], columns=["x", "y"]).assign(
            difference=rng.random(35), in_region=inside.ravel()
        )
        _, axes = plots.figure(5, 4)
        plots.score_surface(table, axes[0], "x", "y", best={"x": 1, "y": 2})
        length = 0.0
        for line in axes[0].lines:
            (x0, x1), (y0, y1) = line.get_data()
            length += abs(x1 - x0) + abs(y1 - y0)
        sides = sum(
            inside[y, x] and not (0 <= y + dy < 5 and 0 <= x + dx < 7 and inside[y + dy, x + dx])
            for y in range(5) for x in range(7) for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0))
        )  # fmt: skip
        assert length == sides

    def test_points_outside_the_grid_are_not_drawn(self) -> None:
        table = pd.DataFrame({"x": [1, 2, 1, 2], "y": [1, 1, 2, 2], "difference": [0.0, 1, 2, 3], "in_region": True})
        words = []
        for given in ({"x": 1.5, "y": 1.5}, {"x": 9.0, "y": 1.5}):
            _, axes = plots.figure(5, 4)
            plots.score_surface(table, axes[0], "x", "y", best={"x": 1, "y": 1}, given=given)
            words.append({text.get_text() for text in axes[0].get_legend().get_texts()})
        assert words[0] - words[1] == {"as given"}

    def test_an_open_end_of_an_interval_is_an_arrow(self) -> None:
        table = pd.DataFrame({"value": [1.0, 2, 3], "difference": [2.0, 0, 1], "low": [1.0, 0, 0], "high": [3.0, 0, 2]})
        _, axes = plots.figure(5, 4)
        plots.score_profile(table, axes[0], best=2, interval=(1.5, nan), profile_interval=(nan, nan))
        markers = [line.get_marker() for line in axes[0].lines]
        assert markers.count(">") == 1
        assert markers.count("|") == 1
        assert "<" not in markers
        assert max(axes[0].get_ylim()) < inf
