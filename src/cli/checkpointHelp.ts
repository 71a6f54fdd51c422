/** @param name how the person started the program */
export function checkpointHelp(name: string): string {
  return `Usage: ${name} checkpoint

Claude Code runs this before it changes a file, where checkpoints are enabled for a
project: it keeps a copy of the file as it is, so that the session can be rewound. It
reads what Claude Code tells its PreToolUse hooks on stdin and prints nothing.

Copies are kept in rethread/checkpoints in the Claude Code config folder, where
problems.jsonl says what could not be kept. Files over 2 GiB are not.

Options:
  -h, --help     show this help

Exit codes:
  0  always: a checkpoint that fails never keeps Claude from working
`;
}
