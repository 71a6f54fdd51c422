import type { Reading, ReadingApi } from './reading';

/** The calls about conversations as functions, which can be put beside other calls. The first of them loads what answers. */
export function readingCalls(load: () => Promise<Reading>): ReadingApi {
  return {
    openConversation: async (...args) => (await load()).openConversation(...args),
    closeConversation: async (...args) => (await load()).closeConversation(...args),
    conversationItems: async (...args) => (await load()).conversationItems(...args),
    conversationOutline: async (...args) => (await load()).conversationOutline(...args),
    conversationText: async (...args) => (await load()).conversationText(...args),
    conversationImage: async (...args) => (await load()).conversationImage(...args),
    persistedOutput: async (...args) => (await load()).persistedOutput(...args),
    findInConversation: async (...args) => (await load()).findInConversation(...args),
    indexOfLine: async (...args) => (await load()).indexOfLine(...args),
    conversationLine: async (...args) => (await load()).conversationLine(...args),
    conversationEdit: async (...args) => (await load()).conversationEdit(...args),
    exportConversation: async (...args) => (await load()).exportConversation(...args),
    previewRedaction: async (...args) => (await load()).previewRedaction(...args),
    cancelExport: async (...args) => (await load()).cancelExport(...args),
    openTasks: async (...args) => (await load()).openTasks(...args),
    closeTasks: async (...args) => (await load()).closeTasks(...args),
  };
}
