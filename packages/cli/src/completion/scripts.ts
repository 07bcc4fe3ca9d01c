/** What each shell runs to learn of the completions; what it asks for stands in `complete.ts`. */
export const scripts = {
  // Of what bash 3.2 knows, which macOS has.
  bash: `# Completion of promptreg in bash: eval "$(promptreg completion bash)"
_promptreg() {
  local line="\${COMP_LINE:0:COMP_POINT}" words current kept="" mark found
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current="\${words[\${#words[@]} - 1]}"
  # bash begins a new word behind some of these, and puts what is found there.
  for mark in @ = :; do
    [[ $COMP_WORDBREAKS == *"$mark"* && $current == *"$mark"* ]] || continue
    # An @ belongs to the word that begins at it; the others do not.
    if [[ $mark == @ ]]; then mark="\${current%@*}"; else mark="\${current%"\${current##*"$mark"}"}"; fi
    ((\${#mark} > \${#kept})) && kept="$mark"
  done
  COMPREPLY=()
  while IFS=$'\\t' read -r found _; do
    if [[ $found == ":files" ]]; then
      while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "\${current#"$kept"}")
      compopt -o filenames 2>/dev/null
    else
      COMPREPLY+=("\${found#"$kept"}")
    fi
  done < <("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o nosort -F _promptreg promptreg 2>/dev/null || complete -F _promptreg promptreg
`,
  zsh: `#compdef promptreg
# Completion of promptreg in zsh: source <(promptreg completion zsh), or a file _promptreg in $fpath.
_promptreg() {
  local line word meaning files=0
  local -a values shown open
  while IFS=$'\\t' read -r word meaning; do
    if [[ $word == ":files" ]]; then files=1; continue; fi
    if [[ $word == *= ]]; then open+=("$word"); continue; fi
    values+=("$word")
    shown+=("\${word}\${meaning:+  -- $meaning}")
  done < <("\${words[1]}" __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( \${#values} )) && compadd -V promptreg -l -d shown -a values
  (( \${#open} )) && compadd -V fields -S '' -a open
  (( files )) && _files
  return 0
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _promptreg "$@"; else compdef _promptreg promptreg; fi
`,
  fish: `# Completion of promptreg in fish: promptreg completion fish | source
function __promptreg_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] __complete -- $words[2..-1] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c promptreg -e
complete -c promptreg -f -k -a '(__promptreg_complete)'
`,
} as const;
