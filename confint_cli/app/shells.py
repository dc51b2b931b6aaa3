"""The scripts that make Tab work in bash, zsh and fish, and the answers that they ask for.

click has scripts of its own, but in fish they cut a value at its comma (`t,percentile`), in bash
they know nothing of words that it breaks itself (`nDCG@10`, `--method=t`), and in zsh they need the
program on the PATH. Ours hand over the line as it is typed so far, and get back a line for each
answer: its kind (plain or file), the value and a text about it, separated by tabs.
"""

import os
from typing import Any

from click.shell_completion import (
    CompletionItem,
    ShellComplete,
    add_completion_class,
    split_arg_string,
)

_BASH = """\
# Completion of confint for bash 4.4 or later.
%(complete_func)s() {
    local kind value about
    COMPREPLY=()
    while IFS=$'\\t' read -r kind value about; do
        if [[ $kind == file ]]; then
            compopt -o default
        elif [[ $kind == plain ]]; then
            [[ $value == *= ]] && compopt -o nospace
            [[ $value == *[!A-Za-z0-9_.,:=@%%/+-]* ]] && printf -v value %%q "$value"
            COMPREPLY+=("$value")
        fi
    done < <(COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_COMMAND="$1" \\
        COMP_BREAKS="$COMP_WORDBREAKS" %(complete_var)s=bash_complete "$1" 2>/dev/null)
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""

_ZSH = """\
#compdef %(prog_name)s
# Completion of confint for zsh.
%(complete_func)s() {
    local line
    local -a fields plain described open
    for line in "${(@f)$(COMP_LINE="${(j: :)words[1,CURRENT]}" COMP_COMMAND="$words[1]" \\
            %(complete_var)s=zsh_complete "${(Q)words[1]}" 2>/dev/null)}"; do
        fields=("${(@ps:\\t:)line}")
        if [[ $fields[1] == file ]]; then
            [[ $PREFIX == --*=* ]] && compset -P 1 '--*='
            _files
        elif [[ $fields[2] == *= ]]; then
            open+=("$fields[2]")
        elif [[ -n $fields[3] ]]; then
            described+=("${fields[2]//:/\\\\:}:$fields[3]")
        elif [[ $fields[1] == plain ]]; then
            plain+=("$fields[2]")
        fi
    done
    (( $#described )) && _describe -V unsorted described -U
    (( $#plain )) && compadd -U -V unsorted -a plain
    (( $#open )) && compadd -U -S '' -V unsorted -a open
    return 0
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
    compdef %(complete_func)s %(prog_name)s
fi
"""

_FISH = """\
# Completion of confint for fish.
function %(complete_func)s
    set -l program (commandline -opc)[1]
    set -l line (commandline -cp | string collect)
    for answer in (COMP_LINE=$line COMP_COMMAND=$program \\
            %(complete_var)s=fish_complete $program 2>/dev/null)
        set -l fields (string split -m 2 \\t -- $answer)
        if test "$fields[1]" = file
            complete --do-complete "'' "(commandline -ct)
        else
            echo $fields[2]\\t$fields[3]
        end
    end
end

complete --command %(prog_name)s --no-files --keep-order --arguments "(%(complete_func)s)"
"""


class _OurShell(ShellComplete):
    """The completion of a shell, as far as it is the same in all three."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words behind the program's name, and the last word, which is not finished."""
        line, program = os.environ["COMP_LINE"], os.environ["COMP_COMMAND"]
        *words, last = split_arg_string(f"{line}x")  # the x tells a word begun from a blank
        name = split_arg_string(program)[0]
        begin = words.index(name) + 1 if name in words else 1  # settings may stand before the name
        return words[begin:], last[:-1]

    def get_completions(self, args: list[str], incomplete: str) -> list[Any]:
        """Return the answers; those to `--method=t` begin with `--method=`, as the word does."""
        items = super().get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if not (equals and option.startswith("--")):
            return items
        return [CompletionItem(f"{option}={item.value}", item.type) for item in items]

    def format_completion(self, item: Any) -> str:
        """Return the line for an answer: kind, value and a text about it, separated by tabs."""
        about = " ".join((item.help or "").split())
        return f"{item.type}\t{item.value}\t{about}"


class _Bash(_OurShell):
    name = "bash"
    source_template = _BASH

    def get_completions(self, args: list[str], incomplete: str) -> list[Any]:
        """Return the answers without what bash takes for separate words at their beginning."""
        breaks = (os.environ["COMP_BREAKS"] or " ").replace("(", "")  # which is always escaped
        place = max(map(incomplete.rfind, breaks))
        begin = place if incomplete[place : place + 1] == "@" else place + 1  # @ begins a word
        items = super().get_completions(args, incomplete)
        return [CompletionItem(item.value[begin:], item.type) for item in items]


class _Zsh(_OurShell):
    name = "zsh"
    source_template = _ZSH


class _Fish(_OurShell):
    name = "fish"
    source_template = _FISH


SHELLS = {shell.name: shell for shell in (_Bash, _Zsh, _Fish)}


def use_our_scripts() -> None:
    """Let click answer shells in the form that our scripts expect."""
    for shell in SHELLS.values():
        add_completion_class(shell)


def script(shell: str, program: Any, name: str, variable: str) -> str:
    """Return the script by which a shell completes calls of `name`.

    It sets the environment's `variable` to ask `program`, a command of click, for the answers.
    """
    return SHELLS[shell](program, {}, name, variable).source()
