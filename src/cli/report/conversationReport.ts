import { countOf } from '../../core/util/countOf';
import {
  isResultAlone,
  type MessagePart,
  type MessageRow,
  type MessageToolCall,
  type SessionMessage,
  type SessionOverview,
} from '../../protocol/message';
import type { SessionStateName } from '../../protocol/sessionActivity';
import { memoryPhrase } from '../../core/conversation/memoryPhrase';
import type { Page } from './page';
import {
  clip,
  formatAge,
  formatBytes,
  formatCount,
  formatDay,
  formatTime,
  printable,
  shortenHome,
  textLines,
} from './text';
import { readerOf } from './verdictClient';

const INDENT = '  ';
/** Longer lines are hard to read, even on a wide terminal. */
const MAX_TEXT_WIDTH = 100;
const MAX_QUIET_UNITS = 60;
const MAX_OUTCOME_UNITS = 60;

/** The header of a session, above its messages. */
export function overviewReport(session: SessionOverview, page: Page): string {
  const { colors } = page;
  const place = [
    session.cwd === null ? null : shortenHome(session.cwd, page.home),
    session.gitBranch,
    session.model,
    session.clientVersion === null ? null : `Claude Code ${session.clientVersion}`,
  ].flatMap((part) => (part === null || part === '' ? [] : [printable(part)]));
  const age = session.updatedMs === null ? [] : [formatAge(session.updatedMs, page.nowMs)];
  const { client, isExact } = session.resume;
  const isWhole = session.health === 'healthy';
  const about = isExact ? '' : 'about ';
  const reader = readerOf({ version: client });
  const phrase = memoryPhrase({ ...session, losesMessages: session.losesMessages === true });
  const loading = `Claude remembers ${about}${phrase}${reader}`;
  const agents = session.subagents.length === 0 ? [] : [countOf(session.subagents.length, 'subagent')];
  const figures = [...age, countOf(session.messages, 'message'), ...agents, formatBytes(session.fileSize)].join(' · ');
  return [
    colors.bold(clip(printable(session.title ?? session.sessionId), page.width)),
    ...(place.length === 0 ? [] : [`  ${colors.dim(place.join(' · '))}`]),
    `  ${stateText(session, page)} ${colors.dim(`· ${figures}`)}`,
    `  ${isWhole ? colors.dim(loading) : colors.red(loading)}`,
    `  ${colors.dim(printable(shortenHome(session.filePath, page.home)))}`,
    '',
  ].join('\n');
}

/** What the session is doing, or how it ended. */
function stateText({ activity, live, end, call }: SessionOverview, page: Page): string {
  if (live !== 'not-live') return activityText(activity.state, page) + (call === null ? '' : ` (${printable(call)})`);
  const { colors } = page;
  switch (end.kind) {
    case 'ended':
      return 'ended';
    case 'interrupted': {
      const where = end.duringTool ? ' while a tool ran' : '';
      return colors.yellow(end.by === 'person' ? `interrupted${where}` : `ended before the reply`);
    }
    case 'waitingOnTool': {
      const names = [...new Set(end.calls.map(({ name }) => printable(name)))].join(', ');
      return colors.yellow(`waiting for the result of ${names}`);
    }
    case 'apiError':
      return colors.red(`ended with an error: ${printable(end.text).slice(0, 80)}`);
    case 'empty':
      return 'no messages';
  }
}

/** A state in words. */
export function activityText(state: SessionStateName, { colors }: Page): string {
  switch (state) {
    case 'starting':
    case 'reconnecting':
    case 'ended':
    case 'interrupted':
      return state;
    case 'busy':
      return colors.green('working');
    case 'waiting-answer':
      return colors.yellow('waiting for an answer');
    case 'waiting-approval':
      return colors.yellow('waiting for an approval');
    case 'shell':
      return colors.green('a command is still running');
    case 'idle':
      return colors.green('idle');
    case 'failed':
    case 'crashed':
    case 'missing':
    case 'unrecoverable':
      return colors.red(state);
  }
}

/** State of the previous output, so that it is not repeated. */
interface ShownBefore {
  readonly role: string;
  readonly messageId: string | null;
  readonly day: string;
  /** Its heading says that it is not remembered. */
  readonly isForgotten: boolean;
}

/** Prints messages one after the other: the speaker, the text, and one line per tool call. */
export class MessageReport {
  readonly #page: Page;
  #before: ShownBefore = { role: '', messageId: null, day: '', isForgotten: false };
  /** Client records that have not been printed yet; they share a line. */
  #quiet: string[] = [];

  constructor(page: Page) {
    this.#page = page;
  }

  /**
   * Returns the text to print for the message, preceded by any withheld text.
   * @param isBeginning the message is a break above which nothing is lost
   */
  add(message: SessionMessage, isBeginning: boolean): string {
    if (message.kind !== 'message') {
      this.#before = { ...this.#before, role: message.kind, messageId: null };
      return this.end() + markText(message, isBeginning, this.#page);
    }
    if (message.parts.every(isQuiet) && message.branches.length === 0) {
      this.#quiet.push(...message.parts.map(quietText));
      return '';
    }
    return this.end() + this.#row(message);
  }

  /** Returns the withheld text. */
  end(): string {
    if (this.#quiet.length === 0) return '';
    const text = textLines(`· ${this.#quiet.join(' · ')}`, Math.min(this.#page.width, MAX_TEXT_WIDTH), INDENT);
    this.#quiet = [];
    return `${text.map(this.#page.colors.dim).join('\n')}\n`;
  }

  #row(row: MessageRow): string {
    const { colors } = this.#page;
    const before = this.#before;
    const day = row.timeMs === null ? before.day : formatDay(row.timeMs);
    const isSameMessage = row.role === before.role && row.messageId !== null && row.messageId === before.messageId;
    // Whether thinking is remembered is not known: it follows what is around it.
    const isForgotten = row.isLoaded === null && isSameMessage ? before.isForgotten : row.isLoaded === false;
    // A message can be remembered in part.
    const isSame = isSameMessage && isForgotten === before.isForgotten;
    const lines: string[] = [];
    if (day !== before.day) lines.push('', colors.dim(day));
    if (!isSame || day !== before.day) lines.push('', heading(row, this.#page));
    // One by one: a text may have more lines than a call can have arguments.
    for (const part of row.parts) for (const line of partLines(part, this.#page)) lines.push(line);
    for (const { leafLine, messages, label } of row.branches) {
      const about = label === '' ? '' : `: ${printable(label)}`;
      const text = `${INDENT}⑂ ${countOf(messages, 'message')} of another branch (--branch ${leafLine})${about}`;
      lines.push(colors.magenta(clip(text, this.#page.width)));
    }
    this.#before = { role: row.role, messageId: row.messageId, day, isForgotten };
    return `${lines.join('\n')}\n`;
  }
}

function isQuiet({ kind }: MessagePart): boolean {
  return kind === 'note' || kind === 'raw';
}

function quietText(part: MessagePart): string {
  if (part.kind !== 'note' && part.kind !== 'raw') return '';
  const title = clip(printable(part.title), MAX_QUIET_UNITS);
  const isShort = part.kind === 'note' && part.text !== null && /^[^\n<{]{1,20}$/u.test(part.text);
  return isShort ? `${title} ${printable(part.text)}` : title;
}

function markText(mark: Exclude<SessionMessage, MessageRow>, isBeginning: boolean, page: Page): string {
  const { colors } = page;
  switch (mark.kind) {
    case 'compaction': {
      const tokens = mark.tokensBefore === null ? '' : `, ${formatCount(mark.tokensBefore)} tokens before`;
      const trigger = mark.trigger === null ? '' : ` (${printable(mark.trigger)}${tokens})`;
      return rule(`compacted${trigger}: above, Claude knows a summary alone`, colors.cyan, page);
    }
    case 'break': {
      const what = mark.isHealed
        ? 'a link leads nowhere; Claude goes on above by time'
        : isBeginning
          ? 'the history begins here'
          : 'broken here: nothing above reaches Claude';
      return rule(`${what} (line ${mark.line})`, mark.isHealed || isBeginning ? colors.yellow : colors.red, page);
    }
    case 'fault':
      return `\n${colors.yellow(`! line ${mark.line} is damaged`)}\n`;
  }
}

function rule(text: string, paint: (text: string) => string, page: Page): string {
  const head = `── ${text} `;
  return `\n${paint(head + '─'.repeat(Math.max(2, Math.min(page.width, MAX_TEXT_WIDTH) - head.length)))}\n`;
}

function heading(row: MessageRow, { colors }: Page): string {
  const time = row.timeMs === null ? '' : `${formatTime(row.timeMs)}  `;
  const place = colors.dim(`${time}line ${row.line}`);
  const sidechain = row.isSidechain ? colors.magenta('  subagent') : '';
  const forgotten = row.isLoaded === false ? colors.dim('  not remembered') : '';
  switch (row.role) {
    case 'user':
      if (isResultAlone(row.role, row.parts)) return `${colors.bold('· Tool')}  ${place}${sidechain}${forgotten}`;
      return `${colors.bold(colors.green('❯ You'))}  ${place}${sidechain}${forgotten}`;
    case 'assistant':
      return `${colors.bold(colors.blue('● Claude'))}  ${place}${sidechain}${forgotten}`;
    default:
      return `${colors.bold(`· ${row.role}`)}  ${place}${sidechain}${forgotten}`;
  }
}

function partLines(part: MessagePart, page: Page): string[] {
  const { colors } = page;
  const width = Math.min(page.width, MAX_TEXT_WIDTH);
  switch (part.kind) {
    case 'text':
    case 'summary':
      return textLines(part.text, width, INDENT);
    case 'thinking':
      return [colors.dim(clip(`${INDENT}∴ ${part.isRedacted ? 'thinking, redacted' : printable(part.text)}`, width))];
    case 'error':
      return textLines(part.text, width, INDENT).map(colors.red);
    case 'tool':
      return [toolLine(part, page)];
    case 'result':
      return [colors.dim(clip(`${INDENT}⎿ result without its call  ${outcome(part.result)}`, page.width))];
    case 'image':
      return [colors.dim(`${INDENT}▣ ${printable(part.mediaType)}, ${countOf(part.bytes, 'byte')}`)];
    case 'interruption':
      return [colors.yellow(`${INDENT}◼ interrupted${part.duringTool ? ' while a tool ran' : ''}`)];
    case 'note':
    case 'raw':
      return [colors.dim(clip(`${INDENT}· ${printable(part.title)}`, page.width))];
  }
}

/** Name, summary and outcome of a call on one line, however long each is. */
function toolLine(call: MessageToolCall, page: Page): string {
  const { colors } = page;
  const sign = call.result === null ? colors.yellow('…') : call.result.isError ? colors.red('✗') : colors.green('✓');
  const name = printable(call.name);
  const said = call.result === null ? 'no result' : outcome(call.result);
  const room = Math.max(10, page.width - INDENT.length - 2 - name.length - 2);
  const title = clip(printable(call.title), Math.max(10, room - Math.min(said.length + 2, Math.floor(room / 3))));
  const rest = clip(said, Math.max(0, room - title.length - 2));
  const agent = call.subagent === null ? '' : colors.magenta('  ⑂');
  return `${INDENT}${sign} ${colors.cyan(name)}  ${title}${rest === '' ? '' : colors.dim(`  ${rest}`)}${agent}`;
}

function outcome({ text, images }: { readonly text: string | null; readonly images: number }): string {
  const lines = text === null ? [] : text.split('\n').filter((line) => line.trim() !== '');
  const more = lines.length > 1 ? ` (${countOf(lines.length, 'line')})` : '';
  const pictures = images > 0 ? ` (${countOf(images, 'image')})` : '';
  return `${clip(printable(lines[0] ?? ''), MAX_OUTCOME_UNITS)}${more}${pictures}`.trim();
}
