import type {
  ExportApi,
  ExportEvents,
  ExportFormat,
  ExportOutcome,
  ExportRequest,
  RedactionPreview,
} from '../../shared/api/export';
import type { ConversationHead, ConversationItem, ConversationView, ItemsPage } from '../../shared/conversation';
import type { WriteDeps } from '../write/openTranscript';
import { writeExport } from '../write/writeExport';
import { exportHtml } from './exportHtml';
import { exportJson } from './exportJson';
import { exportMarkdown } from './exportMarkdown';
import type { ReadImage } from './readImage';
import { Redactor } from './redact';
import { redactItem } from './redactItem';
import { wholeItem } from './wholeItem';

/** A conversation that is read for an export alone: nobody else closes it, or asks it for another view. */
export interface ExportedConversation {
  refresh(): Promise<boolean>;
  head(view: ConversationView): Promise<ConversationHead>;
  items(view: ConversationView, from: number, count: number): Promise<ItemsPage>;
  text(line: number, path: string): Promise<string | null>;
  image(line: number, path: string): Promise<string | null>;
  close(): void;
}

export interface ExportsParts {
  readonly open: (filePath: string) => ExportedConversation;
  readonly write: Pick<WriteDeps, 'fs' | 'random'>;
  readonly events: ExportEvents;
  /** The thread is about to end: exports end, too. */
  readonly isClosing?: () => boolean;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

const EXPORTERS: Readonly<
  Record<
    ExportFormat,
    (head: ConversationHead, items: AsyncIterable<ConversationItem>, readImage: ReadImage) => AsyncIterable<string>
  >
> = { markdown: exportMarkdown, html: exportHtml, json: exportJson };

/** Items that are read at once. */
const PAGE_ITEMS = 100;
/** Between two tellings of how far an export is. */
const PROGRESS_MS = 200;

export interface ConversationExports extends ExportApi {
  /** Resolves when no export runs any more: files that were begun are whole, or gone. */
  settled(): Promise<void>;
}

/** The exports that run, by the ids that their callers gave them. */
export function createConversationExports(parts: ExportsParts): ConversationExports {
  const running = new Map<string, AbortController>();
  const works = new Set<Promise<unknown>>();

  async function run<T>(exportId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    running.get(exportId)?.abort();
    const controller = new AbortController();
    running.set(exportId, controller);
    const working = work(controller.signal);
    works.add(working);
    try {
      return await working;
    } finally {
      works.delete(working);
      if (running.get(exportId) === controller) running.delete(exportId);
    }
  }

  return {
    exportConversation: (request, exportId) =>
      run(exportId, (signal) => exportOne(request, parts, new Reporter(parts, exportId, signal))),
    previewRedaction: (filePath, view, exportId) =>
      run(exportId, (signal) => preview(filePath, view, parts, new Reporter(parts, exportId, signal))),
    cancelExport: (exportId) => {
      running.get(exportId)?.abort();
      return Promise.resolve();
    },
    settled: async () => {
      await Promise.allSettled(works);
    },
  };
}

/** Tells how far an export is, and whether it is to go on. */
class Reporter {
  readonly #now: () => number;
  #toldMs: number;

  constructor(
    private readonly parts: ExportsParts,
    private readonly exportId: string,
    private readonly signal: AbortSignal,
  ) {
    this.#now = parts.now ?? ((): number => performance.now());
    this.#toldMs = this.#now();
  }

  get isStopped(): boolean {
    return this.signal.aborted || this.parts.isClosing?.() === true;
  }

  async tell(done: number, total: number): Promise<void> {
    if (this.#now() - this.#toldMs < PROGRESS_MS) return;
    this.#toldMs = this.#now();
    await this.parts.events.exportProgress(this.exportId, done, total);
  }
}

/** Thrown where an export was cancelled, and caught in this file. */
class Stopped extends Error {}

async function exportOne(request: ExportRequest, parts: ExportsParts, reporter: Reporter): Promise<ExportOutcome> {
  const { filePath, view, format, isRedacted, target } = request;
  const conversation = parts.open(filePath);
  const redactor = isRedacted ? new Redactor() : null;
  let items = 0;
  const outcome = (part: Partial<ExportOutcome>): ExportOutcome => ({
    bytes: 0,
    items,
    redactions: redactor?.findings ?? [],
    isCancelled: false,
    problem: null,
    ...part,
  });
  async function* counted(): AsyncGenerator<ConversationItem> {
    for await (const item of readItems(conversation, view, reporter)) {
      items += 1;
      yield redactor === null ? item : redactItem(item, redactor);
    }
  }
  try {
    await conversation.refresh();
    const head = await conversation.head(view);
    if (head.problem !== null) return outcome({ problem: head.problem });
    const shownHead = redactor === null ? head : redactItem(head, redactor);
    const pieces = EXPORTERS[format](shownHead, counted(), (line, path) => conversation.image(line, path));
    const written = await writeExport(target, filePath, pieces, parts.write);
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
  parts: ExportsParts,
  reporter: Reporter,
): Promise<RedactionPreview> {
  const conversation = parts.open(filePath);
  const redactor = new Redactor();
  let title: string | null = null;
  try {
    await conversation.refresh();
    const head = await conversation.head(view);
    if (head.problem !== null) throw new Error(head.problem);
    title = redactItem(head, redactor).title;
    for await (const item of readItems(conversation, view, reporter)) redactItem(item, redactor);
    return { secrets: redactor.findings, title };
  } catch (error) {
    // Nobody waits for what was found up to there.
    if (error instanceof Stopped) return { secrets: redactor.findings, title };
    throw error;
  } finally {
    conversation.close();
  }
}

/** Of a transcript that grows meanwhile, the items that it had at the start. */
async function* readItems(
  conversation: ExportedConversation,
  view: ConversationView,
  reporter: Reporter,
): AsyncGenerator<ConversationItem> {
  const { count } = await conversation.head(view);
  const readText = (line: number, path: string): Promise<string | null> => conversation.text(line, path);
  for (let from = 0; from < count;) {
    const page = await conversation.items(view, from, Math.min(PAGE_ITEMS, count - from));
    if (page.items.length === 0) return;
    for (const item of page.items) {
      if (reporter.isStopped) throw new Stopped();
      yield await wholeItem(item, readText);
    }
    from += page.items.length;
    await reporter.tell(from, count);
  }
}
