/** An image of the transcript as a data URL, by the line and the path of what holds it; null when it is none, or too large. */
export type ReadImage = (line: number, path: string) => Promise<string | null>;
