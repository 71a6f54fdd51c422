import { NO_LIMITS, SessionTasks } from '../../core/conversation/tasks/sessionTasks';
import { countOf } from '../../core/util/countOf';
import type { Task, TaskChange, TaskList, TaskNote, TaskStatus } from '../../protocol/task';
import { defineCommand, FILE_HELP, oneFile, READING_EXIT_CODES_HELP } from '../command';
import { type CommandContext, reportProblem } from '../context';
import { accessTranscript } from '../engines';
import { EXIT_CODE, type ExitCode } from '../environment';
import { createPage, type Page } from '../report/page';
import { clip, formatCount, formatLines, formatTime, printable, shortenHome } from '../report/text';

const MAX_HISTORY = 30;
const MAX_TASKS = 1_000;

export const command = defineCommand({
  options: {},
  help,
  run: (context, { positionals, isJson }) => showTasks(context, oneFile('tasks', positionals), isJson),
});

function help(name: string): string {
  return `Usage: ${name} tasks FILE [--json]

Shows the tasks of a session, how far each is, and how the list changed. They are read
from the conversation that Claude goes on from, and from Claude's own task files where
those are newer. Where a session has no tasks, the work of its subagents is shown.
Nothing is changed.

${FILE_HELP}

Options:
      --json     print {"tasks": […], "progress": {…}, "history": […], …} on stdout
  -h, --help     show this help

${READING_EXIT_CODES_HELP}
`;
}

/** @param file as the person entered it */
async function showTasks(context: CommandContext, file: string, isJson: boolean): Promise<ExitCode> {
  const { filePath, engine, pacer } = await accessTranscript(context, file);
  const { createScanner, diagnostics } = engine;
  const live = await engine.liveSessions();
  const isLive = (sessionId: string): boolean => live.has(sessionId);
  const tasks = new SessionTasks({ filePath, createScanner, pacer, isLive, diagnostics });
  try {
    await tasks.refresh();
    const list = tasks.list(NO_LIMITS);
    if (list.problem !== null) {
      await reportProblem(context, filePath, list.problem, [file]);
      return EXIT_CODE.unusable;
    }
    if (isJson) await context.out.writeJsonList('tasks', list.tasks, () => tailJson(list));
    else await context.out.write(tasksReport(list, createPage(context.environment)));
    return EXIT_CODE.ok;
  } finally {
    tasks.close();
  }
}

function tailJson(list: TaskList): object {
  const { sessionId, filePath, title, isLive, source, origin, progress, history, moreHistory, notes } = list;
  return { sessionId, filePath, title, isLive, source, origin, progress, history, moreHistory, notes };
}

/** The list of a session, its history and its notes. */
function tasksReport(list: TaskList, page: Page): string {
  const { colors } = page;
  const head = colors.bold(clip(printable(list.title ?? list.sessionId), page.width));
  const lines = [head, `  ${colors.dim(printable(shortenHome(list.filePath, page.home)))}`, ''];
  if (list.tasks.length === 0) lines.push(emptyText(list));
  else {
    lines.push(`${progressText(list)}${originText(list)}`);
    for (const task of list.tasks.slice(0, MAX_TASKS)) lines.push(...taskLines(task, page));
    const more = list.tasks.length - MAX_TASKS;
    if (more > 0) lines.push(colors.dim(`  … ${formatCount(more)} more; --json prints all`));
  }
  lines.push(...historyLines(list, page));
  if (list.notes.length > 0) lines.push('', ...list.notes.map((note) => colors.yellow(`! ${noteText(note, page)}`)));
  return `${lines.join('\n')}\n`;
}

function emptyText({ history }: TaskList): string {
  return history.length > 0 ? 'The list is empty.' : 'This session has no tasks, and started no subagents.';
}

function progressText({ progress, source }: TaskList): string {
  const { completed, total, inProgress, failed } = progress;
  const what = source === 'agents' ? ` ${total === 1 ? 'subagent' : 'subagents'}` : '';
  return [
    `${formatCount(completed)} of ${formatCount(total)}${what} done`,
    ...(inProgress > 0 ? [`${formatCount(inProgress)} in progress`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} failed or stopped`] : []),
  ].join(', ');
}

function originText({ origin }: TaskList): string {
  return origin === 'files' ? ', as Claude’s own files have it' : '';
}

function taskLines(task: Task, page: Page): string[] {
  const { colors } = page;
  const id = task.kind === 'task' ? colors.dim(`#${printable(task.id)} `) : '';
  const subject = printable(task.status === 'in_progress' ? activeOf(task) : task.subject);
  const word = task.statusText === null ? '' : ` (${printable(task.statusText)})`;
  const text = clip(subject, page.width - 8) + word;
  const place = task.changedAt === null ? '' : colors.dim(`  line ${task.changedAt.line}`);
  const line = `  ${sign(task.status, page)} ${id}${task.status === 'in_progress' ? colors.bold(text) : text}${place}`;
  return [line, ...waitLines(task, page)];
}

function activeOf(task: Task): string {
  return task.kind === 'agent' ? task.subject : (task.activeForm ?? task.subject);
}

function waitLines(task: Task, { colors }: Page): string[] {
  if (task.kind === 'agent') {
    return task.agentType === null ? [] : [colors.dim(`      ${printable(task.agentType)}`)];
  }
  if (task.kind !== 'task' || task.openBlockers.length === 0) return [];
  const ids = task.openBlockers
    .slice(0, 10)
    .map((id) => `#${printable(id)}`)
    .join(', ');
  const more = task.openBlockers.length > 10 ? ' …' : '';
  return [colors.yellow(`      blocked by ${ids}${more}${task.isInCycle ? ', which wait for it' : ''}`)];
}

function sign(status: TaskStatus, { colors }: Page): string {
  switch (status) {
    case 'completed':
      return colors.green('✓');
    case 'in_progress':
      return colors.blue('▸');
    case 'pending':
      return colors.dim('○');
    case 'failed':
      return colors.red('✗');
    case 'stopped':
      return colors.yellow('◼');
    case 'unknown':
      return colors.yellow('?');
  }
}

function historyLines({ history, moreHistory }: TaskList, page: Page): string[] {
  if (history.length === 0) return [];
  const { colors } = page;
  const hidden = moreHistory + Math.max(0, history.length - MAX_HISTORY);
  return [
    '',
    colors.bold('How it changed'),
    ...(hidden > 0 ? [colors.dim(`  … ${countOf(hidden, 'earlier change')}; --json prints them`)] : []),
    ...history.slice(-MAX_HISTORY).map((change) => changeLine(change, page)),
  ];
}

function changeLine(change: TaskChange, page: Page): string {
  const { colors } = page;
  const time = (change.at.timeMs === null ? '' : formatTime(change.at.timeMs)).padEnd(5);
  const place = `line ${change.at.line}`.padEnd(10);
  return `  ${colors.dim(`${time}  ${place}`)}  ${clip(changeText(change), page.width - 22)}`;
}

function changeText(change: TaskChange): string {
  const subject = printable(change.subject);
  switch (change.kind) {
    case 'added':
      return `added: ${subject}`;
    case 'status':
      return `${statusWord(change.to)}: ${subject}`;
    case 'subject':
      return `renamed: ${printable(change.from)} → ${subject}`;
    case 'blockedBy':
      return `waits for ${change.ids.map((id) => `#${printable(id)}`).join(', ')}: ${subject}`;
    case 'removed':
      return `removed: ${subject}`;
  }
}

function statusWord(status: TaskStatus): string {
  return {
    pending: 'to do again',
    in_progress: 'begun',
    completed: 'done',
    failed: 'failed',
    stopped: 'stopped',
    unknown: 'unknown status',
  }[status];
}

function noteText(note: TaskNote, page: Page): string {
  const paths = (list: readonly string[]): string =>
    list.map((path) => printable(shortenHome(path, page.home))).join(', ');
  switch (note.kind) {
    case 'otherBranches':
      return `${countOf(note.count, 'change')} on other branches, which Claude does not go on from: not counted.`;
    case 'malformedCalls':
      return `${countOf(note.count, 'call')} could not be read as a whole: ${formatLines(note.lines)}.`;
    case 'malformedFiles':
      return `No task can be read from ${paths(note.paths)}.`;
    case 'duplicateIds':
      return `The id of another file stands in ${paths(note.paths)}: not counted.`;
    case 'notKept':
      return 'Claude keeps no files of these tasks: when the session is resumed, its own list is empty.';
    case 'cycles':
      return `Tasks wait for each other and cannot begin: ${note.ids.map((id) => `#${printable(id)}`).join(', ')}.`;
  }
}
