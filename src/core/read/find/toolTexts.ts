import { toolName } from '../../../shared/toolName';
import { isJsonObject, objectField, stringField, type JsonObject } from '../../claude/json';
import { rowTexts } from '../../claude/rowTexts';

/** The texts of the calls and results of tools, in rows that come in the order of the file. */
export class ToolTexts {
  readonly #name: string;
  readonly #calls = new Set<string>();

  /** `name`: part of the tools' names, as the transcript has them or as they are shown; upper and lower case are one. */
  constructor(name: string) {
    this.#name = name.toLowerCase();
  }

  of(row: JsonObject): string[] {
    const message = objectField(row, 'message');
    const content = message?.['content'];
    if (!Array.isArray(content)) return [];
    const blocks = (content as readonly unknown[]).filter((block) => isJsonObject(block) && this.#isOfTool(block));
    return blocks.length === 0 ? [] : rowTexts({ ...row, message: { ...message, content: blocks } });
  }

  #isOfTool(block: JsonObject): boolean {
    const name = stringField(block, 'name');
    if (name !== null && [name, toolName(name)].some((each) => each.toLowerCase().includes(this.#name))) {
      const id = stringField(block, 'id');
      if (id !== null) this.#calls.add(id);
      return true;
    }
    const answered = stringField(block, 'tool_use_id');
    return answered !== null && this.#calls.has(answered);
  }
}
