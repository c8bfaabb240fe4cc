"""A Glixo history replayed and scored by hand: event by event, player by player, game by game, with nothing shared."""

from __future__ import annotations

from math import erfc, exp, log, pi, sqrt

import pandas as pd

from ratinglab.history import History


def glixo_scores(history: History, b: float, tau: float) -> dict[str, float]:
    """The mean scores of all games of lone players under Glixo without growth, from the ratings filed."""
    rating: dict[str, float] = {}
    deviation: dict[str, float] = {}
    played: set[str] = set()
    games_by_event: dict[str, list[tuple[str, str, float, float]]] = {}
    entries_by_event: dict[str, list[tuple[str, float, float]]] = {}
    for row in history.games.itertuples():
        if row.status == "played" and row.rated != 0 and not pd.isna(row.result):
            game = (row.player, row.opponent, float(row.score - row.opponent_score), float(row.result))
            games_by_event.setdefault(row.event, []).append(game)
    for row in history.entries.itertuples():
        entries_by_event.setdefault(row.event, []).append((row.player, row.rating, row.deviation))

    log_loss = brier = spread_log_score = squared_error = squared_z = 0.0
    count = 0
    for event in history.events["event"]:
        for player, filed, filed_deviation in entries_by_event.get(event, []):
            if player in played:
                continue
            if not pd.isna(filed):
                rating[player] = float(filed)
                known = not pd.isna(filed_deviation) and filed_deviation > 0
                deviation[player] = float(filed_deviation) if known else 400.0
            elif player not in rating:
                rating[player], deviation[player] = 1500.0, 400.0
        games = games_by_event.get(event, [])
        for one, other, spread, result in games:
            mean = (rating[one] - rating[other]) / b
            sd = sqrt(tau**2 + (deviation[one] ** 2 + deviation[other] ** 2) / b**2)
            win = 0.5 * erfc(-mean / sd / sqrt(2))
            count += 1
            log_loss -= result * log(win) + (1 - result) * log(1 - win)
            brier += (result - win) ** 2
            z = (spread - mean) / sd
            spread_log_score -= log(exp(-0.5 * z * z) / (sd * sqrt(2 * pi)))
            squared_error += (spread - mean) ** 2
            squared_z += z * z
        after = {}
        for player in {name for game in games for name in game[:2]}:
            precision = 1 / deviation[player] ** 2
            total = rating[player] * precision
            for one, other, spread, _ in games:
                if player not in (one, other):
                    continue
                opponent, won_by = (other, spread) if player == one else (one, -spread)
                rho = b**2 * tau**2 + deviation[opponent] ** 2
                precision += 1 / rho
                total += (rating[opponent] + b * won_by) / rho
            after[player] = max(1.0, total / precision), sqrt(1 / precision)
        for player, (new_rating, new_deviation) in after.items():
            rating[player], deviation[player] = new_rating, new_deviation
            played.add(player)
    return {
        "games": count,
        "log_loss": log_loss / count,
        "brier": brier / count,
        "spread_log_score": spread_log_score / count,
        "spread_rmse": sqrt(squared_error / count),
        "z_sd": sqrt(squared_z / count),
    }
