"""Judges programs with a verb, goal or task that publishes."""

from collections.abc import Callable, Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.packages.managers import by_program
from hermes_guard.rules.packages.rules import FAMILY, PUBLISH
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

#: Verbs that publish; an empty one stands for the program itself.
_PUBLISHES = by_program(
    {
        "twine": "upload|register",
        "poetry uv flit hatch pdm rye": "publish",
        "changeset changesets lerna rush jsr deno bun elm opam expo clawhub wasmer pulp spago ovsx": "publish",
        "wapm nimble electron-forge beachball pkg-pr-new": "publish",
        "maturin": "publish|upload",
        "cargo": "publish|yank|workspaces publish|ws publish|release|owner",
        "gem": "push|yank|owner|signin",
        "vsce": "publish|unpublish",
        "nuget": "push|delete",
        "choco paket fury": "push",
        "package_cloud": "push|yank",
        "devpi": "upload|push",
        "rebar3": "hex publish|hex retire|hex owner|hex cut",
        "swift": "package-registry publish",
        "copr-cli copr": "build|build-package|delete|delete-package",
        "chrome-webstore-upload": "upload|publish",
        "appcenter": "distribute release|codepush release|codepush release-react|codepush promote",
        "code-push": "release|release-react|promote",
        "pdk": "release|release publish",
        "ansible-galaxy": "collection publish|role import|role delete|import|delete",
        "kaggle": "kernels push",
        "ko": "publish|build|apply",
        "cosign": "sign|attest|attach|upload",
        "jreleaser": "full-release|release|publish|deploy|upload|announce",
        "rattler-build pixi": "upload|publish",
        "jf jfrog": "npm publish|nuget push|docker push|go publish|rt del|rt delete",
        "release-plz": "release",
        "auto": "shipit|release|latest|canary|next",
        "boot": "push-release|push-snapshot",
        "puppet": "module publish",
        "dupload": "",
        "dotnet": "nuget push|nuget delete",
        "pod": "trunk push|trunk delete|trunk deprecate|repo push|trunk add-owner",
        "dart flutter": "pub publish|pub lish",
        "cabal stack luarocks": "upload",
        "conan anaconda": "upload|remove",
        "helm": "push|cm-push",
        "goreleaser": "release|publish",
        "nx": "release publish",
        "snapcraft": "upload|push|release|close",
        "charmcraft": "upload|release",
        "buf tsci": "push",
        "eas": "submit|update",
        "lein": "deploy",
        "semantic-release np release-it dput cpan-upload": "",
        "python-semantic-release": "publish|version",
        "web-ext": "sign",
    }
)
_PUBLISHING = Spec(
    "registry= tag= access= otp= dry-run d n r= repository= u= username= p= password= token= k= api-key= "
    "key= host= s= source= version= vers= a= add= remove= l list manifest-path= package= C= cwd= config= c= "
    "workspace? w= filter= F= recursive allow-dirty snapshot skip= clean check test h help V no-publish index= "
    "directory= project= x execute skip-publish f force draft build y yes provenance undo L local"
)


#: Options that prevent publishing.
_ONLY_SHOWS = ("dry-run", "d", "help", "snapshot", "h", "list", "l", "no-publish", "skip-publish")


@FAMILY.judges(*sorted(_PUBLISHES))
def publishers(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about publishing with a verb."""
    program = command.program or ""
    options = parse(command, _PUBLISHING)
    skipped = options.value("skip")
    if (
        options.has(*_ONLY_SHOWS)
        or options.subcommand() == "help"
        or (program in {"cargo", "dart", "flutter"} and options.has("n"))
        or (skipped is not None and "publish" in skipped.raw)
    ):
        return
    verbs = _PUBLISHES[program]
    words = [word.raw for word in options.operands if not word.raw.startswith("+")]
    verb = words[0] if words else ""
    if program == "ko" and (options.has("L", "local") or any(word.raw == "--push=false" for word in command.args)):
        return
    if (verb == "owner" and not options.has("a", "add", "r", "remove")) or (
        (program, verb) == ("cargo", "release") and not options.has("x", "execute")
    ):
        return
    alone = "" in verbs and not {"--version", "-v", "-V"} & {word.raw for word in command.args}
    # Without another verb it runs every step, including publishing.
    everything = program == "nx" and words == ["release"]
    if alone or everything or verb in verbs or " ".join(words[:2]) in verbs:
        yield PUBLISH.found(command, path=f"{program} {verb}".strip())


_LANES = names(
    "deliver pilot supply release beta alpha deploy publish production prod appstore app_store playstore play_store "
    "testflight upload submit distribute internal ship upload_to_app_store upload_to_testflight upload_to_play_store "
    "appstore_release release_production firebase"
)
_FASTLANE = Spec("env= verbose help version h v capture_output")


@FAMILY.judges("fastlane")
def lanes(command: Command, _: Context) -> Iterator[Finding]:
    """Judge a fastlane lane by its usual names, possibly after a platform."""
    options = parse(command, _FASTLANE)
    words = [word.raw for word in options.operands]
    if words[:1] in (["ios"], ["android"], ["mac"], ["run"]):
        words = words[1:]
    if words and words[0] in _LANES and not options.helps:
        yield PUBLISH.found(command, path=f"fastlane {words[0]}")


def _electron(texts: list[str]) -> bool:
    return any(re.match(r"(?:(?:--publish|-p)=)?(?:always|onTag|onTagOrDraft)\Z", text) for text in texts)


def _clojure(texts: list[str]) -> bool:
    runs = [text for text in texts if text[:2] in {"-T", "-X", "-M"}]
    return any(text[2:].startswith(":deploy") for text in runs) or (bool(runs) and "deploy" in texts)


_PUBLISHES_SO: dict[str, Callable[[list[str]], bool]] = {
    "clj": _clojure,
    "clojure": _clojure,
    "electron-builder": _electron,
    "notarytool": lambda texts: texts[:1] == ["submit"],
    "xcrun": lambda texts: texts[:2] == ["notarytool", "submit"],
}


@FAMILY.judges(*_PUBLISHES_SO)
def others(command: Command, _: Context) -> Iterator[Finding]:
    """Judge programs that publish in other ways."""
    texts = [word.raw for word in command.args]
    if _PUBLISHES_SO[command.program or ""](texts):
        yield PUBLISH.found(command, path=" ".join(texts[:2])[:80])


_BUILDS = Spec(
    "P= D? f= pl= projects= s= settings= T= t= B q U e X o N am amd p= project-dir= b= c= x= exclude-task= "
    "I= init-script= m dry-run version help v h"
)
_GOAL = re.compile(
    r"deploy$|deploy:deploy|ci-release$|jreleaser(?:Full)?(?:Release|Publish|Deploy|Upload)$|release:(?:perform|prepare)|nexus-staging:|central-publishing:"
    r"|publish(?!.*Local)(?:[A-Z]\w*)?$|publishSigned$|closeAndRelease|uploadArchives$|sonatype\w*Release"
    r"|bintrayUpload|artifactoryPublish|\+?publish(?:Signed)?$|release$|promote\w*Artifact|publishPlugins"
)


@FAMILY.judges("mvn", "mvnw", "gradle", "gradlew", "sbt", "mill", "ant")
def builds(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about goals and tasks that publish."""
    options = parse(command, _BUILDS)
    gradle = "gradle" in (command.program or "")
    if options.has("help", "version", "v", "h", "dry-run") or (options.has("m") and gradle):
        return
    for word in options.operands:
        goal = word.raw.rsplit(":", 1)[-1] if gradle else word.raw
        if _GOAL.match(goal) and not goal.endswith(("Local", "LocalM2")):
            yield PUBLISH.found(command, path=goal)
            return


_TASK = re.compile(r"hex\.(?:publish|retire|owner)$|release(?::rubygem_push)?$|gem:push$")


@FAMILY.judges("mix", "rake")
def tasks(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about tasks that publish. `mix release` only builds."""
    texts = [word.raw for word in command.args]
    if "--dry-run" in texts or "-n" in texts or (command.program == "mix" and texts[:1] == ["release"]):
        return
    if any(_TASK.match(text) for text in texts[:2]):
        yield PUBLISH.found(command, path=" ".join(texts[:2]))
