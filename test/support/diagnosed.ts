import { describeSession } from '../../src/core/diagnose/scanSession';
import { diagnosticsFor } from '../../src/core/diagnose/verdict';
import { LoadedTranscript } from '../../src/core/providers/claude/loader/loadTranscript';
import type { TranscriptFacts } from '../../src/core/transcript/transcriptIndex';
import type { ScannedSession } from '../../src/protocol/session';

/** As the engine has them unless it is told otherwise. */
export const DIAGNOSTICS = diagnosticsFor();

export function loaded(facts: TranscriptFacts): LoadedTranscript {
  return new LoadedTranscript(facts, DIAGNOSTICS.rules);
}

export function verdictOf(facts: TranscriptFacts, filePath = '/p/s.jsonl'): ScannedSession {
  return describeSession(filePath, loaded(facts), DIAGNOSTICS.checks);
}
