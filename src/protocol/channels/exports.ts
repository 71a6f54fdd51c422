import { answeredEvent, type Calls, cancellable, defineChannel, type Events } from '../channel';
import type { ConversationView } from '../conversation';

/**
 * Exports of conversations to files. `exportId` is chosen by the caller; a later export with the same id ends the earlier
 * one.
 */
export const exportsChannel = defineChannel(
  'exports',
  {
    exportConversation: cancellable<(request: ExportRequest, exportId: string) => ExportOutcome>(),
    /** Reports what an export of the view would redact. Rejects if the transcript cannot be read. */
    previewRedaction: cancellable<(filePath: string, view: ConversationView, exportId: string) => RedactionPreview>(),
  },
  {
    /** Sent a few times a second. */
    exportProgress: answeredEvent<(news: ExportProgress) => void>(),
  },
);

export type ExportCalls = Calls<typeof exportsChannel>;
export type ExportEvents = Events<typeof exportsChannel>;

export type ExportFormat = 'markdown' | 'html' | 'json';

export interface ExportRequest {
  /** Absolute path of the transcript. */
  readonly filePath: string;
  readonly view: ConversationView;
  readonly format: ExportFormat;
  /** Secrets are replaced by `[redacted: <kind>]`. */
  readonly isRedacted: boolean;
  /** So is what may be a secret: whatever looks random, which ids and checksums do, too. */
  readonly isPossibleRedacted: boolean;
  /** Absolute path of the output file; an existing file is replaced. */
  readonly target: string;
}

/** Secrets of one kind. */
export interface RedactionFinding {
  /** Such as `github-token` or `aws-secret-key`. */
  readonly kind: string;
  readonly count: number;
  /** The first four characters of the first secret, followed by "…". */
  readonly sample: string;
}

/** What an export would redact. */
export interface RedactionPreview {
  /** Most frequent first. */
  readonly secrets: readonly RedactionFinding[];
  /** What may be a secret, without the secrets; null if there is nothing. */
  readonly possible: RedactionFinding | null;
  /** The conversation's title without secrets; null if it has none. */
  readonly title: string | null;
}

export interface ExportOutcome {
  /** Size of the file in bytes; 0 if there is no file. */
  readonly bytes: number;
  readonly items: number;
  /** What was replaced, by kind; empty if redaction was off. */
  readonly redactions: readonly RedactionFinding[];
  readonly isCancelled: boolean;
  /** Why no file was written: one sentence for people. An existing file is unchanged. */
  readonly problem: string | null;
}

export interface ExportProgress {
  readonly exportId: string;
  readonly itemsDone: number;
  readonly itemsTotal: number;
}
