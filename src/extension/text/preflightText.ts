import type { Preflight, PreflightBound, PreflightCause } from '../../protocol/preflight';
import type { Formats } from './formats';
import type { Translate } from './translate';

/** What resuming a session means, in lines that each can be read alone. */
export interface PreflightText {
  /** What is sent, how much of it is not cached, and what it costs. */
  readonly request: string;
  /** Why; one or more sentences. */
  readonly why: string;
  /** What the client starts again by itself; null if nothing. */
  readonly rearms: string | null;
}

/** After so long, the time of day no longer says when something was. */
const TIME_OF_DAY_MS = 12 * 3_600_000;

/**
 * Null if there is nothing to resume. `fits`: whether there is room for the text about the request, which names fewer reasons if
 * there is not.
 */
export function preflightText(
  preflight: Preflight,
  nowMs: number,
  formats: Formats,
  t: Translate,
  fits: (request: string) => boolean = () => true,
): PreflightText | null {
  if (preflight.messages.of === 0) return null;
  const reasons = preflight.causes.map((cause) => reasonText(cause, t)).filter((reason) => reason !== null);
  const requests = [reasons, reasons.slice(0, 1), []].map((named) => requestText(preflight, named, formats, t));
  // The price is the last to go.
  const shortest = requestText(preflight, null, formats, t);
  return {
    request: requests.find(fits) ?? shortest,
    why: preflight.causes.map((cause) => causeText(cause, preflight, nowMs, formats, t)).join(' '),
    rearms: rearmsText(preflight, formats, t),
  };
}

/** `reasons`: why tokens are uncached, or null to leave out how many are. */
function requestText(
  { tokens, costUsd }: Preflight,
  reasons: readonly string[] | null,
  formats: Formats,
  t: Translate,
): string {
  const { sent, bound, uncached } = tokens;
  if (sent === null) return t('Resuming: the number of tokens is not known');
  const size = bounded(bound, formats.compact(sent), t);
  if (uncached === null) return t('Resuming: {0} tokens, of which an unknown part is cached', size);
  const cost = costUsd === null ? t('no price') : bounded(bound, formats.usd(costUsd), t);
  if (reasons === null) return t('Resuming: {0} tokens, {1}', size, cost);
  const what = uncached === sent ? t('all uncached') : t('about {0} uncached', formats.compact(uncached));
  const part = reasons.length === 0 ? what : t('{0} ({1})', what, reasons.join(', '));
  return t('Resuming: {0} tokens, {1}, {2}', size, part, cost);
}

/** Why tokens are uncached, in a few words; null if that takes a sentence. */
function reasonText({ code }: PreflightCause, t: Translate): string | null {
  switch (code) {
    case 'version-changed':
      return t('version change');
    case 'model-changed':
      return t('model change');
    case 'model-unknown':
      return t('model unavailable');
    case 'not-cached':
      return t('no cache used');
    case 'cache-expired':
      return t('expired');
    case 'history-lost':
      return t('broken');
    case 'repaired':
      return t('repaired');
    case 'no-reply':
    case 'compacted':
    case 'unknown-age':
    case 'unknown-lifetime':
    case 'last-reply':
      return null;
  }
}

/** Every figure is an estimate. */
function bounded(bound: PreflightBound, figure: string, t: Translate): string {
  switch (bound) {
    case 'about':
      return t('about {0}', figure);
    case 'at-most':
      return t('at most about {0}', figure);
    case 'at-least':
      return t('about {0} or more', figure);
  }
}

function causeText(
  cause: PreflightCause,
  { changesAtMs }: Preflight,
  nowMs: number,
  formats: Formats,
  t: Translate,
): string {
  switch (cause.code) {
    case 'no-reply':
      return t('Claude has not replied yet.');
    case 'compacted':
      return t('The conversation was compacted after the last reply.');
    case 'version-changed':
      return t('The last reply is from Claude Code {0}, and {1} sends other instructions.', cause.from, cause.to);
    case 'model-changed':
      return t('The model has changed from {0} to {1}.', cause.from, cause.to);
    case 'model-unknown':
      return t('{0} may be replaced by the default model.', cause.model);
    case 'not-cached':
      return t('The last request used no cache.');
    case 'cache-expired': {
      // Tooltips stay as they are for hours, so that they say a time and not an age.
      const usedMs = nowMs - cause.ageMs;
      const used = cause.ageMs < TIME_OF_DAY_MS ? formats.time(usedMs) : formats.dateTime(usedMs);
      if (cause.isPartial) return t('A part of the cache is kept for 5 minutes; last use: {0}.', used);
      return cause.lifetime === '5m'
        ? t('The cache is kept for 5 minutes; last use: {0}.', used)
        : t('The cache is kept for an hour; last use: {0}.', used);
    }
    case 'unknown-age':
      return t('The time of the last reply is not known.');
    case 'unknown-lifetime':
      return t('How long the cache is kept is not known.');
    case 'repaired':
      return t('The session was repaired after the last reply.');
    case 'history-lost':
      return t('Claude does not find what came before a break.');
    case 'last-reply':
      return changesAtMs === null
        ? t('Everything before the last reply is cached.')
        : t('Everything before the last reply is cached until {0}.', formats.time(changesAtMs));
  }
}

function rearmsText({ rearms }: Preflight, formats: Formats, t: Translate): string | null {
  const [first] = rearms;
  if (first === undefined) return null;
  const text = t('{0} ({1})', first.what, first.when);
  if (rearms.length === 1) return t('Starts again by itself: {0}', text);
  return t('Starts {0} prompts again by itself: {1}, …', formats.number(rearms.length), text);
}
