import type { ConversationsApi } from '../shared/api/conversation';

/** The calls about conversations as functions, which can be put beside other calls. */
export function conversationCalls(conversations: ConversationsApi): ConversationsApi {
  return {
    openConversation: (...args) => conversations.openConversation(...args),
    closeConversation: (...args) => conversations.closeConversation(...args),
    conversationItems: (...args) => conversations.conversationItems(...args),
    conversationOutline: (...args) => conversations.conversationOutline(...args),
    conversationText: (...args) => conversations.conversationText(...args),
    conversationImage: (...args) => conversations.conversationImage(...args),
    persistedOutput: (...args) => conversations.persistedOutput(...args),
    findInConversation: (...args) => conversations.findInConversation(...args),
    indexOfLine: (...args) => conversations.indexOfLine(...args),
    conversationLine: (...args) => conversations.conversationLine(...args),
    conversationEdit: (...args) => conversations.conversationEdit(...args),
  };
}
