import { checkpointHelp } from './checkpointHelp';
import type { CommandName } from './commandNames';
import { forkHelp } from './forkHelp';
import { DEFAULT_LIMIT, SEARCH_ROLES } from './parseCommandLine';
import { GROUPINGS } from './parseUsage';
import { checkpointsHelp, rewindHelp } from './rewindHelp';

const PATHS = `PATH is a transcript (.jsonl), a project folder, a Claude Code config folder, or any
folder that holds transcripts.`;

const EXIT_CODES = `Exit codes:
  0  done, and nothing is wrong
  1  done; a session is corrupted or a repair was refused
  2  wrong usage, or something could not be read`;

/** @param name how the person started the program */
export function helpText(name: string, command: CommandName | null): string {
  if (command === 'scan') return scanHelp(name);
  if (command === 'repair') return repairHelp(name);
  if (command === 'show') return showHelp(name);
  if (command === 'tasks') return tasksHelp(name);
  if (command === 'usage') return usageHelp(name);
  if (command === 'search') return searchHelp(name);
  if (command === 'fork') return forkHelp(name);
  if (command === 'checkpoints') return checkpointsHelp(name);
  if (command === 'rewind') return rewindHelp(name);
  if (command === 'checkpoint') return checkpointHelp(name);
  return `Usage: ${name} <command> [options]

Finds Claude Code sessions, says what Claude will load when one is resumed, and
repairs the ones whose history has come apart.

Commands:
  scan [PATH…]         check sessions; without a PATH, all of them
  repair PATH…         mend what is broken and keep a backup
  show FILE            read a session
  tasks FILE           what a session set out to do, and how far it is
  usage [PATH…]        tokens used, and what they cost by the price list
  search TEXT [PATH…]  find what was said, or done, in sessions
  fork FILE            make a new session of a part of another
  checkpoints FILE     the prompts that files can be put back to
  rewind FILE PROMPT   put the files back to what they were before a prompt
  checkpoint           what Claude Code runs before it changes a file

Options:
  -h, --help     show this help, or a command's with "${name} <command> --help"
      --version  show the version

${PATHS}

${EXIT_CODES}
`;
}

function scanHelp(name: string): string {
  return `Usage: ${name} scan [PATH…] [--json]

Checks sessions and says how many of their messages Claude will load on resume.
Nothing is changed.

${PATHS}
Without one, $CLAUDE_CONFIG_DIR is scanned, else ~/.claude.

Options:
      --json     print {"sessions": […], "totals": {…}} on stdout
  -h, --help     show this help

${EXIT_CODES}
`;
}

function repairHelp(name: string): string {
  return `Usage: ${name} repair PATH… [--dry-run | --undo] [--json]

Mends broken sessions. Only the bytes that must change change, and the original is
kept beside the transcript as <file>.backup-<time>. A session that is running is
refused.

${PATHS}

Options:
      --dry-run  show every edit and change nothing
      --undo     put the newest backup back; in a folder, of every session that has one
      --json     print {"results": […]} on stdout
  -h, --help     show this help

${EXIT_CODES}
With --dry-run, 1 also means that there is something to repair.
`;
}

const READING_EXIT_CODES = `Exit codes:
  0  done
  2  wrong usage, or something could not be read`;

function showHelp(name: string): string {
  return `Usage: ${name} show FILE [options]

Shows a session as Claude goes on from it, with what came before its breaks and
compactions. FILE is its transcript (.jsonl). Nothing is changed.

Options:
      --branch LEAF  another branch: the uuid, or the line, of the row it ends with
      --from N       begin with the Nth message, counted from 0
      --count N      end after N messages
      --json         print {"session": …, "messages": […], "total": N} on stdout
  -h, --help         show this help

${READING_EXIT_CODES}
`;
}

function tasksHelp(name: string): string {
  return `Usage: ${name} tasks FILE [--json]

Shows the tasks of a session, how far each is, and how the list changed. They are read
from the conversation that Claude goes on from, and from Claude's own task files where
those are newer. Where a session has no tasks, the work of its subagents is shown.
Nothing is changed.

Options:
      --json     print {"tasks": […], "progress": {…}, "history": […], …} on stdout
  -h, --help     show this help

${READING_EXIT_CODES}
`;
}

function usageHelp(name: string): string {
  return `Usage: ${name} usage [PATH…] [options]

Counts the tokens of sessions and their subagents, each message once, and says what
they cost by the API's price list. Nothing is changed.

${PATHS}
Without one, the sessions in $CLAUDE_CONFIG_DIR are counted, else those in ~/.claude.

Options:
      --by GROUP         ${GROUPINGS.join(', ')}; day without it
      --time-zone ZONE   whose days: an IANA name; the system's without it
      --json             print {"rows": […], "totals": {…}} on stdout
  -h, --help             show this help

${READING_EXIT_CODES}
`;
}

function searchHelp(name: string): string {
  return `Usage: ${name} search TEXT [PATH…] [options]

Finds text in prompts, replies, thinking, and the inputs and outputs of tools. The
session with the latest activity comes first. Nothing is changed.

${PATHS}
Without one, the sessions in $CLAUDE_CONFIG_DIR are searched, else those in ~/.claude.

Options:
      --regex    TEXT is a regular expression, as in JavaScript
      --case     upper and lower case differ
      --role R   only rows from R: ${SEARCH_ROLES.join(', ')};
                 may be given several times
      --limit N  stop after N rows; ${DEFAULT_LIMIT} without it
      --json     print {"matches": […]} on stdout
  -h, --help     show this help

Exit codes:
  0  done, whether or not there are matches
  2  wrong usage, or something could not be read
`;
}
