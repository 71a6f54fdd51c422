import { resolve } from 'node:path';
import type { Diagnostics } from '../core/diagnose/verdict';
import { toldInConversation } from '../core/diagnose/scanSession';
import { readPreflight } from '../core/preflight/readPreflight';
import type { ScannerFactory } from '../core/transcript/scanner';
import { PriceBook } from '../core/usage/prices';
import { createPacer } from '../core/util/scheduling';
import { sessionRefOf } from '../core/providers/claude/format/paths';
import type { PreflightCalls } from '../protocol/channels/preflight';
import type { SessionDetails } from '../protocol/channels/sessions';
import type { SessionRef } from '../protocol/session';

/** Longest stretch of work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 10;

export interface PreflightsDeps {
  readonly createScanner: ScannerFactory;
  /** The client that the person has, which may change. */
  readonly diagnostics: () => Diagnostics;
  /** What is known of a session, with what the API would refuse unless finding that takes long. */
  readonly look: (session: SessionRef) => Promise<SessionDetails>;
}

/** What resuming sessions means. Loaded on first use: many windows never ask. */
export function createPreflights({ createScanner, diagnostics, look }: PreflightsDeps): PreflightCalls {
  const pacer = createPacer(MAX_WORK_MS);
  return {
    async preflight(filePath, { priceOverrides }) {
      const prices = new PriceBook(priceOverrides);
      const question = { createScanner, pacer, diagnostics: diagnostics(), prices, nowMs: Date.now() };
      const path = resolve(filePath);
      const answer = await readPreflight(path, question);
      if (answer.kind === 'problem') return null;
      // What resuming costs is told all the same if the session cannot be judged.
      const judged = await look(sessionRefOf(path)).catch(() => null);
      const findings = judged === null ? [] : toldInConversation(judged.scan.result);
      return { preflight: answer.preflight, findings };
    },
  };
}
