import type { ExportOutcome, ExportRequest, RedactionPreview } from '../../protocol/api/export';
import type { SearchOutcome, SearchQuery } from '../../protocol/api/search';
import type { ConversationView } from '../../protocol/conversation';
import type { CallWorker } from './conversationCalls';

/** Work of the thread that goes on for as long as there are rows: the signal ends it. Rejects then. */
export interface LongCalls {
  searchSessions(query: SearchQuery, searchId: string, signal: AbortSignal): Promise<SearchOutcome>;
  previewRedaction(
    filePath: string,
    view: ConversationView,
    exportId: string,
    signal: AbortSignal,
  ): Promise<RedactionPreview>;
  exportConversation(request: ExportRequest, exportId: string, signal: AbortSignal): Promise<ExportOutcome>;
}

const CANCEL_TIMEOUT_MS = 10_000;

export function createLongCalls(call: CallWorker): LongCalls {
  /** The one who gave up does not wait for the thread's answer; the thread is told to stop all the same. */
  const cancellable = async <T>(signal: AbortSignal, work: Promise<T>, cancel: () => Promise<void>): Promise<T> => {
    const stop = (): void => {
      // A thread that is gone has stopped.
      cancel().catch(() => undefined);
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await work;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
  const cancelExport = (exportId: string) => (): Promise<void> =>
    call((rpc) => rpc.cancelExport(exportId), CANCEL_TIMEOUT_MS);
  return {
    searchSessions: (query, searchId, signal) =>
      cancellable(
        signal,
        call((rpc) => rpc.searchSessions(query, searchId), signal),
        () => call((rpc) => rpc.cancelSearch(searchId), CANCEL_TIMEOUT_MS),
      ),
    previewRedaction: (filePath, view, exportId, signal) =>
      cancellable(
        signal,
        call((rpc) => rpc.previewRedaction(filePath, view, exportId), signal),
        cancelExport(exportId),
      ),
    exportConversation: (request, exportId, signal) =>
      cancellable(
        signal,
        call((rpc) => rpc.exportConversation(request, exportId), signal),
        cancelExport(exportId),
      ),
  };
}
