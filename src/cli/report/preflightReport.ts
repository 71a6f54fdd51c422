import { memoryPhrase } from '../../core/conversation/memoryPhrase';
import { countOf } from '../../core/util/countOf';
import type { ClientInfo } from '../../protocol/client';
import type { Memory } from '../../protocol/memory';
import type { Preflight, PreflightBound, PreflightCause, Rearm } from '../../protocol/preflight';
import type { Page } from './page';
import { formatAge, formatCount, formatUsd, printable, shellPath } from './text';
import { clientNote } from './verdictClient';

/** Figures are estimates, so that further digits would say nothing. */
const SIGNIFICANT_DIGITS = 3;

/** What resuming a session means, and whether the API refuses every further prompt. */
export interface PreflightFound {
  readonly preflight: Preflight;
  readonly isRefused: boolean;
  /** As all reports count it; absent if nobody has counted it for a report. */
  readonly memory?: Memory | null;
}

/** What resuming a session means, in one line, and a further one if the rules of the client are not exactly known. */
export function preflightReport(
  { preflight, isRefused, memory }: PreflightFound,
  clientInfo: ClientInfo,
  nowMs: number,
  page: Page,
): string {
  const { client, filePath, messages, rearms } = preflight;
  const repair = `${page.commandName} repair --dry-run ${shellPath(filePath, page.home)}`;
  const sentences = [
    `Resumed by Claude Code ${client}, Claude remembers ${memoryPhrase(memory ?? memoryOf(messages))}.`,
    ...(isRefused ? [`Claude's API refuses every further prompt of this session: ${repair} says why.`] : []),
    requestSentence(preflight, nowMs),
    ...(rearms.length === 0 ? [] : [`Starts again by itself: ${rearms.map(rearmText).join('; ')}.`]),
  ];
  const lines = [printable(sentences.join(' ')), ...clientNote(clientInfo, page)];
  return lines.map((line) => `${line}\n`).join('');
}

function memoryOf({ loads, of, hasSummary }: Preflight['messages']): Memory {
  return { remembered: loads, messages: of, hasSummary, losesMessages: true };
}

/** What is sent, how much of it is not cached and why, and what it costs. */
function requestSentence({ tokens, causes, costUsd }: Preflight, nowMs: number): string {
  const { sent, bound, uncached } = tokens;
  const why = causes.map((cause) => causeText(cause, nowMs)).join('; ');
  if (sent === null) return `How many tokens it sends is not known: ${why}.`;
  const what = `It sends ${bounded(bound, countOf(rounded(sent), 'token'))}`;
  if (uncached === null) return `${what}. How many of them are uncached is not known: ${why}.`;
  const part = uncached === sent ? 'all of them' : `about ${formatCount(rounded(uncached))} of them`;
  const cost = costUsd === null ? 'The price of the model is not known.' : `${costText(bound, costUsd)}.`;
  return `${what}, ${part} uncached: ${why}. ${cost}`;
}

/** Every figure is an estimate. */
function bounded(bound: PreflightBound, figure: string): string {
  switch (bound) {
    case 'about':
      return `about ${figure}`;
    case 'at-most':
      return `at most about ${figure}`;
    case 'at-least':
      return `about ${figure} or more`;
  }
}

/** Why tokens are not cached, or not known to be, as a clause. */
export function causeText(cause: PreflightCause, nowMs: number): string {
  switch (cause.code) {
    case 'no-reply':
      return 'Claude has not replied yet';
    case 'compacted':
      return 'the conversation was compacted after the last reply';
    case 'version-changed':
      return `the last reply was written by Claude Code ${cause.from}, and ${cause.to} sends other instructions`;
    case 'model-changed':
      return `the session has changed from ${cause.from} to ${cause.to}, and each model has its own cache`;
    case 'model-unknown':
      return `Claude Code cannot continue with ${cause.model}, and may go on with its default model`;
    case 'not-cached':
      return 'the last request used no cache';
    case 'cache-expired': {
      const kept = cause.lifetime === '5m' ? '5 minutes' : 'an hour';
      const what = cause.isPartial ? 'a part of the cache is' : 'the cache is';
      return `${what} kept for ${kept}, and was last used ${formatAge(nowMs - cause.ageMs, nowMs)}`;
    }
    case 'unknown-age':
      return 'the time of the last reply is not known';
    case 'unknown-lifetime':
      return `it is not known how long the cache is kept, which was last used ${formatAge(nowMs - cause.ageMs, nowMs)}`;
    case 'repaired':
      return 'the session was repaired after the last reply';
    case 'history-lost':
      return 'Claude does not find what came before a break';
    case 'last-reply':
      return 'everything before the last reply is cached';
  }
}

function rounded(tokens: number): number {
  return Number(tokens.toPrecision(SIGNIFICANT_DIGITS));
}

function costText(bound: PreflightBound, usd: number): string {
  const words = bounded(bound, formatUsd(usd));
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function rearmText({ kind, what, when }: Rearm): string {
  return kind === 'loop' ? `“${what}” (${when})` : `“${what}” (once, ${when})`;
}
