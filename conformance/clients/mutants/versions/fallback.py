"""Clients that make the wrong thing of a refused ApiVersions."""

from __future__ import annotations

from conformance import error_codes
from conformance.api_keys import API_VERSIONS, METADATA
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Asking, Course, Failed, Lost, Open
from conformance.testee_protocol import Value


class RefusalReadAsAsked(ClientMutant, breaks="client-fallback.refusal-is-v0"):
    """Reads a refusal in the version that it asked with."""

    def read_versions(self, version: int, frame: bytes) -> Value:
        return self.read(API_VERSIONS, version, frame)


class RefusalReadAsV0OfTheNewestAlone(ClientMutant, breaks="client-fallback.refusal-is-v0"):
    """Reads a refusal as version 0 only where it had asked with version 3."""

    def read_versions(self, version: int, frame: bytes) -> Value:
        refused = self.error_at_its_begin(frame) == error_codes.UNSUPPORTED_VERSION
        return self.read(API_VERSIONS, 0 if refused and version == 3 else version, frame)


class ReadAsItsHighest(ClientMutant, breaks="client-fallback.answer-read-as-asked"):
    """Reads each answer to ApiVersions that has a list in the highest version that it knows."""

    def read_versions(self, version: int, frame: bytes) -> Value:
        return super().read_versions(self.versions[API_VERSIONS][1], frame)


class ReadAsVersionZeroOnceRefused(ClientMutant, breaks="client-fallback.answer-read-as-asked"):
    """Reads all that comes after a refusal as version 0."""

    def read_versions(self, version: int, frame: bytes) -> Value:
        is_first = version == self.versions[API_VERSIONS][1]
        return super().read_versions(version if is_first else 0, frame)


class RefusalTakenForTheList(ClientMutant, breaks="client-fallback.refusal-is-no-list"):
    """Takes what a refusal lists for all that the broker serves, and goes on."""

    implies = ("client-fallback.invalid-request-closes", "client-sasl.logs-in")

    def greet(self) -> Course:
        answer = yield from self.ask_versions(self.versions[API_VERSIONS][1])
        self.take_ranges(answer["apiKeys"])


class StepsDown(ClientMutant, breaks="client-fallback.highest-of-hint"):
    """Goes down by one version after each refusal with a range, whatever that is."""

    def next_version(self, version: int, answer: Value) -> int:
        if version == 0:
            raise Failed("ApiVersions v0 is refused")
        return version - 1 if self.hint(answer) else 0


class FallsToZero(ClientMutant, breaks="client-fallback.hint-is-followed"):
    """Falls back to version 0 at once, whatever the broker hints at."""

    implies = ("client-fallback.highest-of-hint",)

    def hint(self, answer: Value) -> tuple[int, int] | None:
        return None


class TakesTheLowestOfTheHint(ClientMutant, breaks="client-fallback.highest-of-hint"):
    """Goes on with the lowest version of the hint."""

    def hint(self, answer: Value) -> tuple[int, int] | None:
        hint = super().hint(answer)
        return hint and (hint[0], hint[0])


class StopsWithoutAHint(ClientMutant, breaks="client-fallback.no-hint-means-v0"):
    """Gives up where a refusal has no range."""

    def next_version(self, version: int, answer: Value) -> int:
        if self.hint(answer) is None:
            raise Failed("the broker does not say what it serves")
        return super().next_version(version, answer)


class RepeatsItselfWithoutAHint(ClientMutant, breaks="client-fallback.no-hint-means-v0"):
    """Asks once more in the same version where a refusal has no range, and gives up."""

    has_asked_again = False

    def next_version(self, version: int, answer: Value) -> int:
        if self.hint(answer) is not None:
            return super().next_version(version, answer)
        if self.has_asked_again:
            raise Failed(f"ApiVersions v{version} is refused")
        self.has_asked_again = True
        return version


class TakesAnyRangeForTheHint(ClientMutant, breaks="client-fallback.hint-of-others-not-taken"):
    """Takes the first range in a refusal for that of ApiVersions, where that has none there."""

    def hint(self, answer: Value) -> tuple[int, int] | None:
        entries = answer["apiKeys"]
        first = (entries[0]["minVersion"], entries[0]["maxVersion"]) if entries else None
        return super().hint(answer) or first


class StepsDownWithoutAHint(ClientMutant, breaks="client-fallback.v0-at-once-without-a-hint"):
    """Goes down by one version where a refusal has no range."""

    def next_version(self, version: int, answer: Value) -> int:
        if self.hint(answer) is None and version:
            return version - 1
        return super().next_version(version, answer)


class PretendsToHaveSomethingInCommon(
    ClientMutant, breaks="client-fallback.nothing-in-common-fails"
):
    """Goes on as if the broker served everything where no version is common to both."""

    def run(self, action: str) -> Course:
        try:
            yield from super().run(action)
        except Failed as failed:
            if "known to both" not in str(failed) or "ApiVersions" not in str(failed):
                raise


class AsksTheSameAgain(ClientMutant, breaks="client-fallback.hopeless-hint-ends"):
    """Asks on with what the broker hints at, also where that was just refused."""

    def next_version(self, version: int, answer: Value) -> int:
        hint = self.hint(answer) or (0, 0)
        return min(self.versions[API_VERSIONS][1], hint[1])


class ReconnectsAtOnce(ClientMutant, breaks="client-fallback.closed-is-bounded"):
    """Tries a connection that is lost again at once, a thousand times."""

    implies = (
        "client-answers.end-survived",
        "client-answers.missing-partition-survived",
        "client-produce.hopeless-ends",
        "client-transactions.errors-waited-out",
        "client-produce.topics-apart",
    )
    attempts = 1000
    backoff_s = 0.0

    def backoff(self, attempt: int) -> float:
        return 0.0


class ReconnectsFiftyTimesAtOnce(ClientMutant, breaks="client-fallback.closed-backs-off"):
    """Tries a connection that is lost again at once, fifty times."""

    implies = (
        "client-answers.end-survived",
        "client-produce.refused-topic-told",
        "client-transactions.errors-waited-out",
    )
    attempts = 45

    def backoff(self, attempt: int) -> float:
        return 0.0


class AsksOnAfterInvalidRequest(ClientMutant, breaks="client-fallback.invalid-request-ends"):
    """Takes INVALID_REQUEST for the end of its work, and says that all is well."""

    implies = ("client-members.permanent-errors-told",)

    def run(self, action: str) -> Course:
        try:
            yield from super().run(action)
        except Failed as failed:
            if f"error {error_codes.INVALID_REQUEST}" not in str(failed):
                raise


class UsesAnInvalidConnection(ClientMutant, breaks="client-fallback.invalid-request-closes"):
    """Asks Metadata on a connection whose ApiVersions was an invalid request, and fails then."""

    def ask_versions(self, version: int) -> Asking:
        answer = yield from super().ask_versions(version)
        if answer["errorCode"] == error_codes.INVALID_REQUEST:
            yield from self.ask(METADATA, 0, {"topics": []})
        return answer


class TriesInvalidRequestAgain(ClientMutant, breaks="client-fallback.invalid-request-ends"):
    """Sends an ApiVersions that was answered with INVALID_REQUEST again and again."""

    def greet(self) -> Course:
        while True:
            try:
                yield from super().greet()
            except Failed as failed:
                if f"error {error_codes.INVALID_REQUEST}" not in str(failed):
                    raise
                yield Open(None)
            else:
                return


class GuessesWhereItIsHungUpOn(ClientMutant, breaks="client-fallback.v0-before-a-guess"):
    """Goes on as if all that it speaks were served, once it was hung up on at ApiVersions."""

    guesses = False

    def greet(self) -> Course:
        if self.guesses:
            self.take_ranges(
                [
                    {"apiKey": key, "minVersion": low, "maxVersion": high}
                    for key, (low, high) in self.versions.items()
                ]
            )
            return
        try:
            yield from super().greet()
        except Lost as lost:
            self.guesses = not self.mechanism and str(lost).startswith("closed")
            raise
