/** @param name how the person started the program */
export function forkHelp(name: string): string {
  return `Usage: ${name} fork FILE [options]

Makes a new session of a part of another one: of what Claude would load now, or of all
that leads to one row, on whatever branch it is, also from before a compaction. FILE is
the transcript (.jsonl), which is not changed. A session that is running may be forked.

Options:
      --at UUID  end with this row: a prompt, a reply, a tool's result …
      --before   end before that row instead
      --title T  what the new session is called
      --json     print {"sessionId": …, "filePath": …, "parentSessionId": …,
                 "rowsCopied": N} on stdout; {"reason": …, "problem": …} when refused
  -h, --help     show this help

Exit codes:
  0  done
  1  the fork was refused, and nothing was written
  2  wrong usage, an unknown row, or something could not be read
`;
}
