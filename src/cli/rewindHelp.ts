/** @param name how the person started the program */
export function checkpointsHelp(name: string): string {
  return `Usage: ${name} checkpoints FILE [--json]

Lists the prompts of a session whose files can be rewound, with what a rewind to each
would change now. FILE is the transcript (.jsonl). Nothing is changed.

Options:
      --json     print {"checkpoints": […]} on stdout
  -h, --help     show this help

Exit codes:
  0  done
  2  wrong usage, or something could not be read
`;
}

/** @param name how the person started the program */
export function rewindHelp(name: string): string {
  return `Usage: ${name} rewind FILE PROMPT [options]
       ${name} rewind FILE --undo [--allow-live] [--json]

Puts the files back to what they were before a prompt: all of them or, when something
fails, none. PROMPT is its uuid, which "${name} checkpoints FILE" lists. Says what is not
taken back, such as what commands changed. Every file is copied first; --undo puts those
copies back, and leaves alone what changed since.

Options:
      --dry-run        show what would be done and change nothing
      --undo           take the newest rewind of the session back
      --only PATH      change this file alone; may be given several times
      --allow-outside  also change files outside the session's working folder
      --allow-live     also while Claude is using the session
      --json           print {"canRewind": …, "filesChanged": […], …} on stdout
  -h, --help           show this help

Exit codes:
  0  done
  1  refused, or some files were left as they are; the output says why
  2  wrong usage, an unknown prompt, or something could not be read
`;
}
