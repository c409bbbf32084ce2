"""The control cases of a dialogue: what has to be right before its own rule can be said to break.

A rule fails only where the same conversation without what the rule asks goes well. What a dialogue
takes for granted is judged by other rules, whose own dialogues are its control cases: that requests
of this API and version are answered at all, that a topic can be made, that what was made is listed.
They are held when a dialogue fails, the most basic first, and the first that fails as well is named
in place of an accusation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from itertools import takewhile

from conformance.brokers.dialogues import DialogueCase, asked_of
from conformance.brokers.dialogues.talk import (
    ANY_SERVED,
    CORRELATED,
    FIRST_REQUEST,
    GREETED,
    ONE_FOR_EACH,
    SERVED,
    Facts,
)
from conformance.brokers.exchange import Exchange
from conformance.dialogue import Broken
from conformance.rules import catalogue
from conformance.schema.releases import definitions

HEADERS = (
    "request-header.v1-fields",
    "request-header.flexible-adds-tags",
    "request-header.client-id-not-compact",
)
READ = (
    "metadata.*",
    "tags.*",
    "primitives.*",
    "compact.*",
    "framing.short-body-closes",
    "framing.responses-in-order",
    "request-header.unknown-tag-skipped",
)
LISTS = (
    GREETED,
    "api-versions.list-lasts",
    "response-header.api-versions-stays-v0",
    "api-versions.served-before-login",
    "api-versions.legal-software-served",
    "api-versions.unnamed-software-served",
    "api-versions.other-cluster-sent-back",
    "api-versions.version-0-has-list-alone",
    "api-versions.throttle-time-after-list",
    "api-versions.compact-list",
    "api-versions.features-in-tags",
    "api-versions.each-key-once",
)
FALLBACK = (
    "api-versions.unlisted-not-served",
    "api-versions.unsupported-answered-in-v0",
    "api-versions.negative-version-answered",
)
TOPICS_TOLD = (
    "response-header.body-has-request-version",
    "metadata.null-asks-for-all",
    "metadata.asked-topics-alone",
    "metadata.no-creation-unless-allowed",
    "metadata.unknown-topic-error",
)
TOPICS_DELETED = (
    "topics.deletion-disabled-error",
    "topics.deleted-is-gone",
)
TOPICS_MADE = (
    ONE_FOR_EACH,
    "topics.validate-only-creates-nothing",
    "topics.server-chooses-brokers",
    "topics.created-has-leaders",
)
TOPICS = (
    *TOPICS_TOLD,
    ONE_FOR_EACH,
    *TOPICS_DELETED,
    "topics.created-has-leaders",
)
DELETIONS = ("topics.deleted-*", "topics.deletion-*", "topics.*-to-delete*", "topics.*-the-deleted")
"""Rules whose dialogues validate no topic: what a broker makes of that has no part in them."""
GROWTH = (
    "partitions.failures-*",
    "partitions.validate-*",
    "partitions.duplicate-*",
    "partitions.never-fewer",
    "partitions.bad-*",
)
CONFIGS_TOLD = (ONE_FOR_EACH, "configs.null-asks-for-all")
COORDINATORS = (ONE_FOR_EACH,)
OF_TYPES = ("coordinators.unknown-type-refused", ONE_FOR_EACH)
MEMBERS = (
    "groups.member-id-required",
    "groups.joined-as-leader",
    "groups.share-comes-back",
    "groups.heartbeat-answered",
)
WITH_TOPICS = (
    "groups.epoch-given",
    "groups.partitions-assigned",
    "groups.shared-among-consumers",
    "groups.new-topic-assigned",
    "groups.*-consumer-refused",
    "groups.consumer-leaves",
    "groups.fenced-*",
    "groups.unknown-assignor-*",
    "groups.offsets-of-member",
    "groups.old-generation-refused",
)
"""The rules about groups that need a topic; most are about consumers whose coordinator shares out.
"""
LOGINS = (
    "api-versions.served-before-login",
    "sasl.enabled-mechanism-agreed",
    "sasl.wrong-token-refused",
)
TAGS = (
    "tags.unknown-skipped",
    "tags.unknown-empty-value",
    "tags.unknown-high-tag",
    "tags.unknown-skipped-in-element",
)
ACLS_MADE = (
    "acls.no-authorizer-is-told",
    "acls.created-is-listed",
    "acls.none-is-empty",
    "acls.null-matches-any",
    "acls.deleted-is-told-and-gone",
)
RIGHTS = (
    "acls.deny-beats-allow",
    "acls.prefixed-covers-what-begins-so",
    "acls.*-takes-a-right",
    "acls.*-take-a-right",
    "acls.right-to-create-by-topic",
    "acls.deletion-*",
    "acls.topics-unseen-*",
    "acls.id-unseen-*",
    "acls.operations-of-the-caller",
)
MALFORMED = (
    "api-versions.null-software-refused",
    "primitives.null-refused",
    "primitives.varint-too-long-refused",
    "compact.*",
    "tags.*-refused",
    "tags.*-above-int32",
)
ABOUT_ENTRIES = (
    "acls.*",
    "compact.*",
    "configs.*",
    "groups.*",
    "log.*",
    "offsets.*",
    "partitions.*",
    "primitives.*",
    "produce.*",
    "producers.*",
    "results.*",
    "tags.*",
    "topics.*",
    "transactions.*",
)
"""Rules about requests that may have more in them than the plain ones of their version."""
LAYERS: Sequence[tuple[Sequence[str], Sequence[str]]] = (
    (
        ("request-header.v1-fields",),
        ("response-header.v0-fields",),
    ),
    ((CORRELATED,), HEADERS),
    (READ, HEADERS),
    (ABOUT_ENTRIES, (ANY_SERVED,)),
    (MALFORMED, ("primitives.short-input-refused", "framing.short-body-closes")),
    (
        ("tags.section-required", "request-header.short-header-closes"),
        ("framing.short-body-closes",),
    ),
    (("tags.unknown-*", "tags.unsorted-accepted", "tags.duplicate-unknown"), TAGS),
    (("request-header.unknown-tag-skipped",), ("tags.unknown-skipped",)),
    (("api-versions.*",), LISTS),
    (("sasl.*",), LOGINS),
    (
        ("api-versions.unsupported-*", "api-versions.negative-*", "api-versions.named-*"),
        FALLBACK,
    ),
    (("metadata.*",), TOPICS_TOLD),
    (
        ("topics.*",),
        (*TOPICS_TOLD, *TOPICS_DELETED, "topics.controller-or-handed-on", *TOPICS_MADE),
    ),
    (("partitions.*", "produce.*", "metadata.auto-creation"), TOPICS),
    (GROWTH, ("partitions.added",)),
    (("produce.*",), ("framing.correlation-id-echoed",)),
    (("log.*",), (*TOPICS, "log.base-offset-told")),
    (("producers.*",), (*TOPICS, "log.base-offset-told", "producers.fresh-id")),
    (
        ("transactions.*",),
        (*TOPICS, *COORDINATORS, "log.base-offset-told", "transactions.same-producer"),
    ),
    (("offsets.*",), (*TOPICS, *COORDINATORS)),
    (("groups.*",), (*COORDINATORS, *MEMBERS)),
    (WITH_TOPICS, TOPICS),
    (("configs.*",), CONFIGS_TOLD),
    (("coordinators.*",), OF_TYPES),
    (("acls.*",), ACLS_MADE),
    (RIGHTS, (*TOPICS, *CONFIGS_TOLD, "topics.failures-spare-the-created")),
)
"""The rules that a part of the rules takes for granted, the most basic first. Each of the basic
rules rests on those before it, and every other rule of that part on all of them.
"""
BYTES = (*HEADERS, "response-header.*")
"""Rules that look at bytes themselves, and read no whole answer."""
OF_MEANING = (
    "acls",
    "configs",
    "coordinators",
    "groups",
    "log",
    "metadata",
    "offsets",
    "partitions",
    "produce",
    "producers",
    "results",
    "topics",
    "transactions",
)
"""The groups of rules about what an answer says, which has to be read first."""
SHOWN = (
    "configs.documentation-only-if-asked",
    "configs.sensitive-is-null",
    "configs.synonyms-only-if-asked",
    "metadata.listed-address-answers",
    "metadata.operations-only-if-asked",
)
"""Rules that one answer shows to be broken, whatever else is: it has what it must not have. Where
it could be read, they rest on no rule about what answers say."""

OF_ANY_REQUEST = ("framing", "request-header", "response-header", "primitives", "compact", "tags")
"""The groups of rules that hold for each request alike."""
LIST_FORMS = (
    "api-versions.version-0-has-list-alone",
    "api-versions.throttle-time-after-list",
    "api-versions.compact-list",
)
"""The rules that judge in which form a whole list is written."""


class Controls:
    """The control cases of the dialogues with one broker.

    `failed` says by rule and id whether those that were held failed. `chosen` are the rules and ids
    of the dialogues that the run holds anyway, None if it holds all: a control case that fails
    beside them is added to `untold`, since no other verdict would report it. `why_unproven` says
    why a dialogue that failed shows nothing, "" if it does; `barred` are the rules of those where
    the caller lacks the rights.
    """

    def __init__(self, facts: Facts, chosen: Collection[tuple[str, str]] | None = None) -> None:
        self.failed: dict[tuple[str, str], bool] = {}
        self.untold: list[DialogueCase] = []
        self.facts = facts
        self.why_unproven: Callable[[DialogueCase, Exchange], str] = _always_proven
        self.barred: set[str] = set()
        self._chosen = chosen
        self._by_rule: dict[str, list[DialogueCase]] = {}

    def fail(self, basic: DialogueCase) -> None:
        """Take note of a control case that failed."""
        key = basic.rule, basic.id
        if self._chosen is not None and key not in self._chosen and not self.failed.get(key):
            self.untold.append(basic)
        self.failed[key] = True

    def is_known(self, basic: DialogueCase) -> bool:
        """True if a control case need not be held again.

        A request that was answered once is asked again: the broker may have come to harm since.
        """
        failed = self.failed.get((basic.rule, basic.id))
        return bool(failed) if basic.rule == SERVED else failed is not None

    def of(
        self, item: DialogueCase, broken: Broken, sent: Collection[int]
    ) -> Iterator[DialogueCase]:
        """The control cases of a dialogue that failed, the most basic first.

        `sent` are the api keys of its requests: what a broker makes of others has no part in it,
        as far as it is not about bytes, nor what this very rule rests on.
        """
        if item.rule == GREETED:  # the first of all that is asked
            return
        names = {definitions().requests.get(key, "") for key in sent}
        if broken.unanswered is not None:
            names.add(f"{broken.unanswered[0]}Request")
        chosen = catalogue()[item.rule].rests_on
        shown = (item.rule in SHOWN or broken.by_itself) and broken.unanswered is None
        is_read = not broken.judged_by and broken.unanswered is None
        has_results = is_read and item.rule.startswith("configs.")
        for rule in foundations(item.rule):
            if rule == ONE_FOR_EACH and has_results:  # each was read before the dialogue went on
                continue
            if shown and rule.partition(".")[0] not in OF_ANY_REQUEST:
                continue
            about_any = rule in chosen or rule.partition(".")[0] in OF_ANY_REQUEST
            yield from (
                each
                for each in self._nearest(rule, item)
                if (about_any and not _is_of_one_api(each)) or each.message in names
            )
        own = any(fnmatchcase(item.rule, each) for each in BYTES)
        reads = item.message != "ApiVersionsRequest" and not own
        asked = {(item.message, item.version)} if reads else set()
        if broken.unanswered is not None and not (
            item.malformed and broken.unanswered == self.facts.served
        ):
            api, version = broken.unanswered
            asked.add((f"{api}Request", version))
        yield from self._served(item, asked)

    def _served(
        self, item: DialogueCase, asked: Collection[tuple[str, int]]
    ) -> Iterator[DialogueCase]:
        """The plain requests of these messages and versions, and what judges each more closely."""
        api, version = FIRST_REQUEST
        if (f"{api}Request", version) in asked:
            yield from self.cases(GREETED)
        if item.rule == SERVED and item.message == f"{api}Request":
            of_form = (each for rule in LIST_FORMS for each in self.cases(rule))
            yield from (each for each in of_form if each.version == item.version)
        yield from (each for each in self.cases(SERVED) if (each.message, each.version) in asked)

    def plain_of(self, basic: DialogueCase) -> Iterator[DialogueCase]:
        """The plain requests of the message and version of a case."""
        yield from self._served(basic, {(basic.message, basic.version)})

    def of_step(
        self, rule: str, item: DialogueCase, sent: Collection[int]
    ) -> Iterator[DialogueCase]:
        """The control cases of a step that another rule judges, that rule's own dialogues last."""
        names = {definitions().requests.get(key, "") for key in sent}
        for basic in (*foundations(rule), rule):
            yield from (each for each in self._nearest(basic, item) if each.message in names)

    def judging_bytes(self, item: DialogueCase) -> Sequence[DialogueCase]:
        """The dialogues of the rule that judges what a dialogue sends by itself."""
        return self.cases(item.sends) if item.sends else ()

    def _nearest(self, rule: str, item: DialogueCase) -> Iterator[DialogueCase]:
        """The cases of a rule in the version at hand; of other requests in the highest."""
        cases = self.cases(rule)
        if rule == GREETED and item.versioned and item.version != FIRST_REQUEST[1]:
            return
        same = [each for each in cases if each.message == item.message]
        at_hand = [each for each in same if each.version == item.version or not each.versioned]
        yield from at_hand or _highest(same)
        yield from _highest([each for each in cases if each.message != item.message])

    def cases(self, rule: str) -> list[DialogueCase]:
        """The dialogues that decide a rule."""
        if rule not in self._by_rule:
            self._by_rule[rule] = list(asked_of(self.facts, {rule: catalogue()[rule]}))
        return self._by_rule[rule]


def _always_proven(_item: DialogueCase, _found: Exchange, /) -> str:
    return ""


@cache
def foundations(rule: str) -> tuple[str, ...]:
    """The rules that a rule takes for granted, the most basic first."""
    found: dict[str, None] = {}
    for part, basics in LAYERS if rule != SERVED else ():
        if any(fnmatchcase(rule, each) for each in part):
            found |= dict.fromkeys(takewhile(lambda each: each != rule, basics))
    found |= dict.fromkeys(catalogue()[rule].rests_on)
    return tuple(found)


def _is_of_one_api(each: DialogueCase) -> bool:
    """True if a rule about any request is asked of each API, and this is about one of them."""
    return each.rule == CORRELATED and each.versioned


def judging(item: DialogueCase, broken: Broken) -> str:
    """Return the rule that judges the step in which a dialogue failed."""
    if broken.judged_by:
        return broken.judged_by
    reads = item.rule.partition(".")[0] in OF_MEANING and not item.malformed
    return SERVED if broken.unread and reads else item.rule


def _highest(cases: Sequence[DialogueCase]) -> Iterator[DialogueCase]:
    newest = {(each.message, each.id.partition("/")[2]): each for each in cases}
    yield from newest.values()
