import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChildrenCalls, ListedMemoryFile, ListedSubagent } from '../../protocol/channels/children';
import type { SessionRef } from '../../protocol/session';
import { readMemoryFiles } from '../providers/claude/files/memoryFiles';
import { findSessionSubagents, isSubagentFinished } from '../providers/claude/files/subagents';
import {
  isSubagentName,
  sessionFolderOf,
  subagentsFolderOf,
  TRANSCRIPT_SUFFIX,
} from '../providers/claude/format/paths';
import { forEachConcurrent } from '../util/scheduling';

const READ_CONCURRENCY = 8;

/** Reads what the tree shows below sessions and projects. What cannot be read is not there. */
export class SessionChildren implements ChildrenCalls {
  async withSubagents(filePaths: readonly string[]): Promise<readonly string[]> {
    const found = new Set<string>();
    const look = async (filePath: string): Promise<void> => {
      const names = await readdir(subagentsFolderOf(sessionFolderOf(filePath))).catch((): string[] => []);
      if (names.some((name) => isSubagentName(name) && name.endsWith(TRANSCRIPT_SUFFIX))) found.add(filePath);
    };
    await forEachConcurrent(filePaths, READ_CONCURRENCY, look);
    return filePaths.filter((filePath) => found.has(filePath));
  }

  async subagents({ path }: SessionRef): Promise<readonly ListedSubagent[]> {
    const links = await findSessionSubagents(path);
    return links.map(({ filePath, agentId, agentType, description }) => ({
      ...{ filePath, agentId, agentType, description },
      isFinished: isSubagentFinished(filePath),
    }));
  }

  async memoryFiles(projectFolder: string): Promise<readonly ListedMemoryFile[]> {
    // Of any session of the project.
    const files = await readMemoryFiles(join(projectFolder, `session${TRANSCRIPT_SUFFIX}`));
    return files.map(({ filePath, name, size }) => ({ filePath, name, size }));
  }
}
