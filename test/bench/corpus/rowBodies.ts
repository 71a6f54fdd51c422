import type { Chance } from './chance';
import type { Texts } from './texts';

/** The token counts of a message, as its rows repeat them. */
export function makeUsage(chance: Chance): object {
  const written = chance.between(0, 20_000);
  return {
    input_tokens: chance.between(1, 9000),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: chance.between(0, 150_000),
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
    output_tokens: chance.between(1, 2000),
    service_tier: 'standard',
  };
}

/** The content of a `progress` row of old clients: a whole message of a subagent, with its own uuid and parent. */
export function makeProgressData(chance: Chance, texts: Texts, toolUseId: string, timestamp: string): object {
  const content = [
    { type: 'tool_result', tool_use_id: toolUseId, content: texts.code(chance.around(1200, 1, 50, 20_000)) },
  ];
  const about = { model: 'claude-haiku-4-5', id: `msg_01${chance.hex(22)}`, type: 'message', role: 'assistant' };
  const nested = {
    type: chance.pick(['user', 'assistant']),
    message: { ...about, content, usage: makeUsage(chance) },
    uuid: chance.uuid(),
    parentUuid: chance.uuid(),
    isSidechain: true,
    timestamp,
  };
  const data = { message: nested, normalizedMessages: [], type: 'agent_progress', prompt: texts.prose(100) };
  return {
    data: { ...data, agentId: chance.hex(17) },
    toolUseID: `agent_msg_01${chance.hex(22)}`,
    parentToolUseID: toolUseId,
  };
}

/** The state of files when a message was written. */
export function makeSnapshotRow(
  chance: Chance,
  messageId: string,
  timestamp: string,
  isSnapshotUpdate: boolean,
): object {
  const backups = Array.from({ length: isSnapshotUpdate ? chance.between(1, 12) : 0 }, () => {
    const backup = { backupFileName: `${chance.hex(16)}@v2`, version: 2, backupTime: timestamp };
    return [`src/${chance.hex(8)}.ts`, backup] as const;
  });
  const snapshot = { messageId, trackedFileBackups: Object.fromEntries(backups), timestamp };
  return { type: 'file-history-snapshot', messageId, snapshot, isSnapshotUpdate };
}

export function makeSystemBody(chance: Chance, texts: Texts): object {
  const body = chance.hasLuck(0.5)
    ? { subtype: 'turn_duration', durationMs: chance.between(1, 99_999), messageCount: chance.between(1, 500) }
    : { subtype: 'local_command', content: texts.prose(chance.between(20, 400)), level: 'info' };
  return { ...body, isMeta: false };
}
