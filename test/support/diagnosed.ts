import { describeSession } from '../../src/core/diagnose/scanSession';
import { type Diagnostics, diagnosticsFor } from '../../src/core/diagnose/verdict';
import { LoadedTranscript } from '../../src/core/providers/claude/loader/loadTranscript';
import type { TranscriptIndex } from '../../src/core/transcript/transcriptIndex';
import type { ScannedSession } from '../../src/protocol/session';

/** The defaults of the engine. */
export const DIAGNOSTICS = diagnosticsFor();

export function loaded(index: TranscriptIndex, { rules }: Diagnostics = DIAGNOSTICS): LoadedTranscript {
  return new LoadedTranscript(index, rules);
}

/** The verdict for a client version. */
export function verdictFor(index: TranscriptIndex, version: string): ScannedSession {
  return verdictOf(index, undefined, diagnosticsFor(version));
}

export function verdictOf(
  index: TranscriptIndex,
  filePath = '/p/s.jsonl',
  diagnostics: Diagnostics = DIAGNOSTICS,
): ScannedSession {
  return describeSession(filePath, loaded(index, diagnostics), diagnostics);
}
