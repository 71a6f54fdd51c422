import type {
  ExportCalls,
  ExportEvents,
  ExportOutcome,
  ExportRequest,
  RedactionPreview,
} from '../../../protocol/channels/exports';
import type { ConversationView } from '../../../protocol/conversation';
import type { WriteDeps } from '../../storage/openTranscript';
import { writeExport } from '../../storage/writeExport';
import {
  conversationDocument,
  type DocumentProgress,
  type ExportedConversation,
  readItems,
  redactedBy,
  Stopped,
} from './exportDocument';
import { Redactor } from './redact';

export interface ExportsDeps {
  readonly open: (filePath: string) => ExportedConversation;
  readonly write: Pick<WriteDeps, 'fs' | 'random'>;
  readonly events: ExportEvents;
  /** Nothing is written below this folder; null while it is unknown. Absolute. */
  readonly configDir: () => string | null;
  /** Whether the thread is shutting down, which also ends exports. */
  readonly isClosing?: () => boolean;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** Minimum time between two progress reports. */
const PROGRESS_MS = 200;

export interface ConversationExports extends ExportCalls {
  /** Resolves when no export is running any more: each file is then complete or deleted. */
  settled(): Promise<void>;
}

/** The running exports, by the ids that their callers assigned. */
export function createConversationExports(deps: ExportsDeps): ConversationExports {
  const running = new Map<string, AbortController>();
  const works = new Set<Promise<unknown>>();

  async function run<T>(
    exportId: string,
    cancelled: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    running.get(exportId)?.abort();
    const controller = new AbortController();
    running.set(exportId, controller);
    const working = work(AbortSignal.any([cancelled, controller.signal]));
    works.add(working);
    try {
      return await working;
    } finally {
      works.delete(working);
      if (running.get(exportId) === controller) running.delete(exportId);
    }
  }

  return {
    exportConversation: (request, exportId, cancelled) =>
      run(exportId, cancelled, (signal) => exportOne(request, deps, new Reporter(deps, exportId, signal))),
    previewRedaction: (filePath, view, exportId, cancelled) =>
      run(exportId, cancelled, (signal) => preview(filePath, view, deps, new Reporter(deps, exportId, signal))),
    settled: async () => {
      await Promise.allSettled(works);
    },
  };
}

/** Reports the progress of an export, and whether it must stop. */
class Reporter implements DocumentProgress {
  readonly #now: () => number;
  #reportedMs: number;

  constructor(
    private readonly deps: ExportsDeps,
    private readonly exportId: string,
    private readonly signal: AbortSignal,
  ) {
    this.#now = deps.now ?? ((): number => performance.now());
    this.#reportedMs = this.#now();
  }

  get isStopped(): boolean {
    return this.signal.aborted || this.deps.isClosing?.() === true;
  }

  async report(done: number, total: number): Promise<void> {
    if (this.#now() - this.#reportedMs < PROGRESS_MS) return;
    this.#reportedMs = this.#now();
    await this.deps.events.exportProgress({ exportId: this.exportId, itemsDone: done, itemsTotal: total });
  }
}

async function exportOne(request: ExportRequest, deps: ExportsDeps, reporter: Reporter): Promise<ExportOutcome> {
  const { filePath, view, format, isRedacted, isPossibleRedacted, target } = request;
  const conversation = deps.open(filePath);
  const redactors = [
    ...(isRedacted ? [new Redactor()] : []),
    ...(isPossibleRedacted ? [new Redactor('possible')] : []),
  ];
  let items = 0;
  const outcome = (part: Partial<ExportOutcome>): ExportOutcome => ({
    bytes: 0,
    items,
    redactions: redactors.flatMap(({ findings }) => findings),
    isCancelled: false,
    problem: null,
    ...part,
  });
  try {
    await conversation.refresh();
    const head = await conversation.head(view);
    if (head.problem !== null) return outcome({ problem: head.problem });
    const pieces = conversationDocument(conversation, head, { view, format, redactors, progress: reporter }, () => {
      items += 1;
    });
    const kept = { transcript: filePath, configDir: deps.configDir() };
    const written = await writeExport(target, kept, pieces, deps.write);
    return written.kind === 'written' ? outcome({ bytes: written.bytes }) : outcome({ problem: written.problem });
  } catch (error) {
    if (error instanceof Stopped) return outcome({ isCancelled: true });
    throw error;
  } finally {
    conversation.close();
  }
}

async function preview(
  filePath: string,
  view: ConversationView,
  deps: ExportsDeps,
  reporter: Reporter,
): Promise<RedactionPreview> {
  const conversation = deps.open(filePath);
  const redactor = new Redactor();
  const possible = new Redactor('possible');
  const found = (): RedactionPreview => ({ secrets: redactor.findings, possible: possible.findings[0] ?? null, title });
  let title: string | null = null;
  try {
    await conversation.refresh();
    const head = await conversation.head(view);
    if (head.problem !== null) throw new Error(head.problem);
    const shownHead = redactedBy(head, [redactor]);
    title = shownHead.title;
    redactedBy(shownHead, [possible]);
    for await (const item of readItems(conversation, view, reporter)) redactedBy(item, [redactor, possible]);
    return found();
  } catch (error) {
    // The caller no longer waits for the result.
    if (error instanceof Stopped) return found();
    throw error;
  } finally {
    conversation.close();
  }
}
