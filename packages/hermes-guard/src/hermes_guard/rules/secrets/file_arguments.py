"""Finds the arguments that name the files a program reads."""

from collections.abc import Callable

from hermes_guard.argv import Spec, parse
from hermes_guard.argv.options import parse_words
from hermes_guard.name_sets import names
from hermes_guard.rules.common.file_tool_options import SED, TAR
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word

#: Programs whose operands are all files that they print or copy.
_PLAIN = (
    "cat tac nl head tail gcat ghead gtail less more most pg zless zmore bzless lesspipe view vimdiff vipe "
    "bat batcat ccat jless glow mdcat pygmentize highlight "
    "strings xxd od hexdump hd base64 base32 basenc uuencode qrencode iconv recode dos2unix "
    "gzip zcat bzip2 bzcat xz xzcat zstd zstdcat lz4 zip 7z 7za rar cpio ar "
    "cut sort uniq paste join comm diff colordiff sdiff diff3 rev fold fmt pr expand column look tsort ul "
    "split shuf csvcut xsv sponge install mv cp gcp ditto pbcopy xclip xsel wl-copy sqlite3 "
    "ssh-to-age keybase unshadow john hashcat ssh2john ssh2john.py keepass2john gpg2john"
)
GREPS = names(
    """
    grep egrep fgrep rgrep zgrep rg ag ack ack-grep ugrep pcregrep pcre2grep htmlq xmllint-x sd miller mlr
    """
)
JQS = names("jq yq gojq jaq xq tomlq")
#: Programs that run a line of code for each line of a file.
ONE_LINERS = frozenset({"perl", "ruby"})
_AWKS = "awk gawk mawk nawk"
#: Programs that copy or move their operands.
COPIERS = frozenset({"cp", "gcp", "mv", "install", "ditto"})
_TARS = "tar gtar bsdtar star"
_SEDS = "sed gsed ssed"

GREP = Spec(
    "A= B= C= D= d= e= f= m= g= t= T= M= j= E= r? i v n l L c o h H w x q s z P F G a I R S u U y Z 0 "
    "regexp= file= max-count= include= exclude= exclude-dir= exclude-from= after-context= "
    "before-context= context= color? colour? glob= iglob= "
    "type= type-not= replace= binary-files= directories= devices= label= max-depth= "
    "sort= sortr= threads= engine= hidden no-ignore files "
    "ignore-case invert-match count line-number files-with-matches only-matching recursive "
    "word-regexp quiet json pretty help version"
)
_JQ = Spec("r c n s e M C S a j R f= L= args jsonargs tab indent= from-file= i P o= p= I= v= F= help version")
AWK = Spec("F= v= f= i= e= E= l= assign= file= field-separator= source= include=", posix=True)
_ONE = Spec("e= E= i? n p a l? 0? F= I= M? m? r= w W c s S T t u U v x? C? d?", posix=True)
_COPIES = Spec(
    "t= target-directory= S= suffix= m= mode= o= owner= g= group= backup? preserve? "
    "no-preserve= sparse= reflink? help version"
)
#: Options whose value is not a file: separators, counts, labels.
VALUED = {
    "sort": Spec("t= k= S= T= o= field-separator= key= buffer-size= temporary-directory= output= parallel="),
    "cut": Spec("d= f= c= b= delimiter= fields= characters= bytes= output-delimiter="),
    "paste": Spec("d= delimiters="),
    "join": Spec("t= 1= 2= j= a= v= e= o="),
    "column": Spec("s= o= c= N= H= R= T= E= W= O= C= separator= output-separator= output-width= table-columns="),
    "split": Spec("t= b= C= l= n= a= separator= bytes= lines= number= suffix-length= additional-suffix= filter="),
    "nl": Spec("s= b= d= f= h= i= l= n= v= w= number-separator= body-numbering= section-delimiter="),
    "tac": Spec("s= separator="),
    "diff": Spec("L= I= U= C= F= x= X= W= label= ignore-matching-lines= unified? context? exclude= width= color?"),
    "less": Spec("p= P= j= x= t= T= k= o= O= b= D= h= y= z= pattern= prompt= tabs="),
    "fold": Spec("w= width="),
    "pr": Spec("h= l= o= w= W= s? n? e? i? header= length= width="),
    "uniq": Spec("f= s= w= skip-fields= skip-chars= check-chars="),
    "xxd": Spec("s= l= c= g= o= n= seek= len= cols="),
    "shuf": Spec("e i= n= o= input-range= head-count= output= random-source="),
    "iconv": Spec("f= t= o= from-code= to-code= output="),
}


def files(command: Command) -> list[Word]:
    """Return the files that a program reads."""
    program = command.program or ""
    special = _SPECIAL.get(program)
    if special is not None:
        return special(command)
    spec = VALUED.get(program)
    words = parse(command, spec).operands if spec else [word for word in command.args if word.raw[:1] != "-"]
    return [word for word in words if word.raw[:1] != "+"]


def _tar(command: Command) -> list[Word]:
    options = parse(command, TAR)
    if not options.has("c", "r", "u", "create", "append", "update"):
        return []
    words = options.operands
    folder = options.value("C", "directory")
    if folder is not None:
        words = [
            Word(f"{folder.raw.rstrip('/')}/{word.raw}", word.source, word.span, word.glob)
            for word in words
            if word.raw[:1] not in {"/", "~"}
        ] + words
    return words + options.values("T", "files-from")


def _sed(command: Command) -> list[Word]:
    options = parse(command, SED)
    words = options.operands
    if words and words[0].raw == "" and options.has("i", "I", "in-place"):
        words = words[1:]
    return words if options.has("e", "f", "expression", "file") else words[1:]


def _after_pattern(spec: Spec) -> Callable[[Command], list[Word]]:
    """Return the operands after the pattern or script, which an option may contain instead."""

    def found(command: Command) -> list[Word]:
        options = parse(command, spec)
        given = options.has("e", "f", "regexp", "file", "from-file", "files", "E", "source")
        return options.operands if given else options.operands[1:]

    return found


def _queried(command: Command) -> list[Word]:
    """Return the files of jq, whose variable options take a name and a value."""
    words: list[Word] = []
    held: list[Word] = []
    rest = list(command.args)
    while rest:
        word = rest.pop(0)
        if word.raw in {"--arg", "--argjson"}:
            del rest[:2]
        elif word.raw in {"--slurpfile", "--rawfile"}:
            held += rest[1:2]
            del rest[:2]
        else:
            words.append(word)
    options = parse_words(words, _JQ)
    given = options.has("f", "from-file")
    return [*held, *(options.operands if given else options.operands[1:])]


def _one_liner(command: Command) -> list[Word]:
    options = parse(command, _ONE)
    if not options.has("n", "p"):
        return []
    return options.operands if options.has("e", "E", "f") else options.operands[1:]


def _copied(command: Command) -> list[Word]:
    options = parse(command, _COPIES)
    target = options.value("t", "target-directory")
    return options.operands if target is not None or len(options.operands) < 2 else options.operands[:-1]


def _operands(start: int, end: int | None = None) -> Callable[[Command], list[Word]]:
    return lambda command: [word for word in command.args if not word.raw.startswith("-")][start:end]


_SPECIAL: dict[str, Callable[[Command], list[Word]]] = {
    **dict.fromkeys(_TARS.split(), _tar),
    **dict.fromkeys(_SEDS.split(), _sed),
    **dict.fromkeys(GREPS, _after_pattern(GREP)),
    **dict.fromkeys(JQS, _queried),
    **dict.fromkeys(_AWKS.split(), _after_pattern(AWK)),
    **dict.fromkeys(ONE_LINERS, _one_liner),
    **dict.fromkeys(COPIERS, _copied),
    **dict.fromkeys(("7z", "7za", "rar", "ar"), _operands(2)),
    "zip": _operands(1),
    "sqlite3": _operands(0, 1),
    "sponge": lambda _: [],
}
READERS = frozenset((*_PLAIN.split(), *_SPECIAL))
