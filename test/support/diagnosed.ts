import { describeSession } from '../../src/core/diagnose/scanSession';
import { diagnosticsFor } from '../../src/core/diagnose/verdict';
import { LoadedTranscript } from '../../src/core/providers/claude/loader/loadTranscript';
import type { TranscriptIndex } from '../../src/core/transcript/transcriptIndex';
import type { ScannedSession } from '../../src/protocol/session';

/** The defaults of the engine. */
export const DIAGNOSTICS = diagnosticsFor();

export function loaded(index: TranscriptIndex): LoadedTranscript {
  return new LoadedTranscript(index, DIAGNOSTICS.rules);
}

/** The verdict for a client version. */
export function verdictFor(index: TranscriptIndex, version: string): ScannedSession {
  const diagnostics = diagnosticsFor(version);
  return describeSession('/p/s.jsonl', new LoadedTranscript(index, diagnostics.rules), diagnostics);
}

export function verdictOf(index: TranscriptIndex, filePath = '/p/s.jsonl'): ScannedSession {
  return describeSession(filePath, loaded(index), DIAGNOSTICS);
}
