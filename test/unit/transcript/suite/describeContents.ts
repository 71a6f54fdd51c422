import assert from 'node:assert/strict';
import { A, B } from './exampleRows';
import type { ScannerProbe } from './scannerProbe';

/** Which rows count, and which fields may have any value. */
export function describeContents(name: string, { uuids, flagsOf }: ScannerProbe): void {
  describe(`${name}: contents`, () => {
    it('tolerates fields of the wrong type', () => {
      for (const value of ['null', '42', '[]', '{}', 'true', '""']) {
        for (const key of [
          'type',
          'uuid',
          'timestamp',
          'message',
          'isMeta',
          'isSidechain',
          'compactMetadata',
          'sourceToolAssistantUUID',
        ]) {
          assert.deepEqual(
            uuids(`{"${key}":${value},${A.slice(1).replace(`"${key}":`, '"was":')}\n${B}\n`).at(-1),
            'b',
          );
        }
      }
      for (const content of [
        'null',
        '42',
        '{}',
        '[null]',
        '[[]]',
        '[42]',
        '[{"type":"text"}]',
        '[{"type":"tool_use"}]',
      ]) {
        assert.deepEqual(uuids(A.replace('"one"', content)), ['a'], content);
      }
    });

    it('tolerates call ids that cannot be converted to text', () => {
      const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
      for (const id of [
        '{"toString":1}',
        '{"toString":1,"valueOf":2}',
        '{"__proto__":null}',
        deep,
        '[[]]',
        '1e21',
        'null',
      ]) {
        for (const block of [`{"type":"tool_use","id":${id}}`, `{"type":"tool_result","tool_use_id":${id}}`]) {
          assert.ok(flagsOf(A.replace('"one"', `[${block}]`), 'a').includes('counted'), block.slice(0, 80));
        }
      }
    });

    it('recognises the placeholder reply that the client writes, however it is encoded', () => {
      const isNoResponse = (content: string) => flagsOf(A.replace('"one"', content), 'a').includes('noResponse');
      const escapes = ['No response requested.', 'N\\u006f response requested.', 'No response requested\\u002e'];
      for (const text of escapes) {
        assert.equal(isNoResponse(`"${text}"`), true, text);
        assert.equal(isNoResponse(`[{"type":"text","text":" ${text}\\n"}]`), true, text);
        assert.equal(isNoResponse(`" ${text}"`), false, 'text that is no block is not trimmed');
        assert.equal(isNoResponse(`"${text}."`), false);
      }
    });

    it('recognises a reply whose content is an empty list', () => {
      const isEmptyReply = (content: string) => {
        const flags = flagsOf(B.replace(/\[.*\]/, content), 'b');
        return flags.includes('noResponse') && !flags.includes('hasText');
      };
      assert.equal(isEmptyReply('[]'), true);
      assert.equal(isEmptyReply('[ ]'), true);
      for (const content of ['""', '[""]', '[{}]', '[{"type":"text","text":""}]', '[{"type":"thinking"}]', '{}']) {
        assert.equal(isEmptyReply(content), false, content);
      }
      assert.ok(!flagsOf(A.replace('"one"', '[]'), 'a').includes('noResponse'), 'a prompt is no reply');
    });

    it('recognises rows that accompany a turn', () => {
      const isCompanion = (fields: string, content = '"one"') =>
        flagsOf(A.replace('"one"', content).replace('"uuid"', `${fields}"uuid"`), 'a').includes('kindSpecific');
      for (const field of ['"sourceToolUseID":"t"', '"sourceToolUseID":""', '"turnCompanion":true']) {
        assert.equal(isCompanion(`${field},`), true, field);
        assert.equal(isCompanion(`${field},"isMeta":true,`), true, field);
      }
      for (const field of [
        '',
        '"sourceToolUseID":null,',
        '"turnCompanion":false,',
        '"turnCompanion":1,',
        '"isMeta":true,',
      ]) {
        assert.equal(isCompanion(field), false, field);
      }
      for (const text of [
        'Stop hook feedback:\\n- wait',
        'S\\u0074op hook feedback:\\n',
        'Output token limit hit. Go on.',
      ]) {
        assert.equal(isCompanion('"isMeta":true,', `"${text}"`), true, text);
        assert.equal(isCompanion('"isMeta":true,', `[{"type":"text","text":"${text}"},{"type":"image"}]`), true, text);
        assert.equal(isCompanion('"isMeta":true,', `[{"type":"image"},{"type":"text","text":"${text}"}]`), false, text);
        assert.equal(isCompanion('', `"${text}"`), false, text);
      }
      for (const text of ['Stop hook feedback', 'Stop', ' Stop hook feedback:\\n', 'The end', '']) {
        assert.equal(isCompanion('"isMeta":true,', `"${text}"`), false, text);
      }
    });

    it('recognises the output of a command, and whether it is sent', () => {
      const system = A.replace('"type":"user"', '"type":"system","subtype":"local_command"');
      const flags = (fields: string) => flagsOf(system.replace('"uuid"', `${fields}"uuid"`), 'a');
      assert.ok(flags('').includes('kindSpecific'));
      assert.ok(!flags('').includes('virtual'));
      assert.ok(flags('"isDisplayOnly":true,').includes('virtual'));
      assert.ok(!flags('"isDisplayOnly":1,').includes('virtual'));
      assert.ok(!flagsOf(A.replace('"uuid"', '"isDisplayOnly":true,"uuid"'), 'a').includes('virtual'));
    });

    it('counts rows with text, calls, results and other blocks, and no others', () => {
      const isCounted = (content: string) => flagsOf(A.replace('"one"', content), 'a').includes('counted');
      const blocks = [
        '{"type":"text","text":"x"}',
        '{"type":"tool_use","id":"t"}',
        '{"type":"tool_result","tool_use_id":"t"}',
        '{"type":"image"}',
        '{"type":"redacted_thinking"}',
      ];
      for (const block of blocks) assert.equal(isCounted(`[${block}]`), true, block);
      for (const content of [
        '""',
        '" \\n"',
        '[]',
        '[{"type":"text","text":" "}]',
        '[{"type":"thinking","thinking":"x"}]',
        '42',
        'null',
      ]) {
        assert.equal(isCounted(content), false, content);
      }
      assert.ok(!flagsOf(A.replace('"uuid"', '"isMeta":true,"uuid"'), 'a').includes('counted'));
    });
  });
}
