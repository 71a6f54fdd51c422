import { answeredEvent, type Calls, cancellable, defineChannel, type Events } from '../channel';
import type { ConversationView } from '../conversation';

/** Exports of conversations to files. `exportId` is the caller's; a later export of the same id ends the one before. */
export const exportsChannel = defineChannel(
  'exports',
  {
    exportConversation: cancellable<(request: ExportRequest, exportId: string) => ExportOutcome>(),
    /** What an export of the view would redact; rejects when the transcript cannot be read. */
    previewRedaction: cancellable<(filePath: string, view: ConversationView, exportId: string) => RedactionPreview>(),
  },
  {
    /** A few times a second. */
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
  /** Absolute path of the file to write; one that exists is replaced. */
  readonly target: string;
}

/** Secrets of one kind. */
export interface RedactionFinding {
  /** `github-token`, `aws-secret-key` … */
  readonly kind: string;
  readonly count: number;
  /** First four characters of the first one, and "…". */
  readonly sample: string;
}

/** What an export would redact. */
export interface RedactionPreview {
  /** Most frequent first. */
  readonly secrets: readonly RedactionFinding[];
  /** The conversation's title without secrets; null when it has none. */
  readonly title: string | null;
}

export interface ExportOutcome {
  /** Bytes of the file; 0 when there is none. */
  readonly bytes: number;
  readonly items: number;
  /** What was replaced, by kind; empty when secrets were to stay. */
  readonly redactions: readonly RedactionFinding[];
  readonly isCancelled: boolean;
  /** Why there is no file: one sentence for people. A file that was there is as it was. */
  readonly problem: string | null;
}

export interface ExportProgress {
  readonly exportId: string;
  readonly itemsDone: number;
  readonly itemsTotal: number;
}
