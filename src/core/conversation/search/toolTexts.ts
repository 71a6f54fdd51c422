import { toolName } from '../../../protocol/tools';
import { rowTexts } from '../../providers/claude/format/rowTexts';
import { isJsonObject, type JsonObject, objectField, stringField } from '../../util/json';

/** The texts of a tool's calls and results. Expects the rows in file order. */
export class ToolTexts {
  readonly #name: string;
  readonly #calls = new Set<string>();

  /** `name`: part of a tool's name, as in the transcript or as displayed, regardless of case. Empty for every tool. */
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
    return answered !== null && (this.#name === '' || this.#calls.has(answered));
  }
}
