"""The style of pages: their first sentence, the parts of a decision, plain words."""
import re

RIDDLES = re.compile(r"\b(who(m)?ever|what is no|who finds|nobody is told|thereof|hereby|lest|for ever|"
                     r"be it|is nought|but for (?:the|a|an|those))\b", re.I)
DECISION = re.compile(r"docs/decisions/\d{4}-[a-z0-9-]+\.md")


def openings(site, tools):
    """The first sentence of a page in docs/ gives its subject; a decision has context, decision and consequence."""
    for page in site.documentation():
        if not page.path.startswith("docs/"):
            continue
        text = "\n".join(line for _, line in page.prose)
        if DECISION.fullmatch(page.path):
            parts = re.findall(r"^\*\*(\w+)\.\*\*", text, re.M)
            if parts != ["Context", "Decision", "Consequence"] or len(page.prose) > 25:
                yield page.path, 1, "a decision has Context, Decision and Consequence in at most 25 lines"
        elif not re.match(r"# .+\n\nThis (page|recipe) (explains|compares|lists) ", text):
            yield page.path, 1, "a page begins: This page (or recipe) explains ..."


def plain_words(site, tools):
    """The text contains none of the phrases that make a sentence hard to read."""
    for page in site.documentation():
        for line, text in page.prose:
            if found := RIDDLES.search(text):
                yield page.path, line, f"'{found[0]}': say it with a subject, a verb and an object"
