import * as v from 'valibot';
import { panelSchemas } from '../../protocol/channels/panel';
import { isTranscriptPath } from './transcriptPaths';

const { BLOCK_PATH, LINE, PATH } = panelSchemas;
const ROW = { filePath: v.pipe(PATH, v.check(isTranscriptPath)), line: LINE };
const ROW_ADDRESS = v.object(ROW);
const EDIT_ADDRESS = v.object({ ...ROW, path: BLOCK_PATH, side: v.picklist(['before', 'after']) });

export type RowAddress = v.InferOutput<typeof ROW_ADDRESS>;
export type EditAddress = v.InferOutput<typeof EDIT_ADDRESS>;

/** Parses the query of a document's URI; null if it names no row. */
export function readRowAddress(query: string): RowAddress | null {
  return read(ROW_ADDRESS, query);
}

export function readEditAddress(query: string): EditAddress | null {
  return read(EDIT_ADDRESS, query);
}

function read<T>(schema: v.GenericSchema<unknown, T>, query: string): T | null {
  const checked = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), query);
  return checked.success ? checked.output : null;
}
