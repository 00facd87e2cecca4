"""Rule sets in words: one in full, the differences of two, and the answer to a file that is in order."""

from __future__ import annotations

from referee.ruleset import SWITCHES, RuleSet, Section, differences
from referee.switches import shown
from web.output import printable


def rules_text(ruleset: RuleSet) -> str:
    """Every switch of a rule set by chapter, in the notation of a preset file, with what it decides."""
    lines = [f"# {printable(ruleset.name)}, fingerprint {ruleset.fingerprint}: {ruleset.box_size} tiles"]
    for section in Section:
        entries = {key: switch for key, switch in SWITCHES.items() if switch.section is section}
        settings = {key: f"{key} = {shown(getattr(ruleset, key))}" for key in entries}
        width = max(len(setting) for setting in settings.values())
        lines += ["", f"# {section.value}"]
        lines += [f"{settings[key]:<{width}}  # {switch.about}" for key, switch in entries.items()]
    return "\n".join(lines)


def differences_text(first: RuleSet, second: RuleSet) -> str:
    """The switches in which two rule sets differ, one a line."""
    found = list(differences(first, second))
    if not found:
        return f"{printable(first.name)} and {printable(second.name)} are the same rules ({first.fingerprint})."
    rows = [("", printable(first.name), printable(second.name))]
    rows += [(one.key, shown(one.first), shown(one.second)) for one in found]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(f"{key:<{widths[0]}}  {ours:<{widths[1]}}  {theirs}".rstrip() for key, ours, theirs in rows)


def checked_text(ruleset: RuleSet, base: RuleSet) -> str:
    """That a preset file is in order, and how far it is from the default."""
    count = sum(1 for _ in differences(base, ruleset))
    return (
        f"{printable(ruleset.name)} is in order: fingerprint {ruleset.fingerprint}, {ruleset.box_size} tiles, "
        f"switches that differ from {base.name}: {count}."
    )
