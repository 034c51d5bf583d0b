/** The files that this page read, so that a refused one can be read again in another way. The server keeps none. */
const files = new Map<string, File>()
const MOST_KEPT = 5

/** @param id Of the import that it became. */
export function keepFile(id: string, file: File): void {
  files.set(id, file)
  const [oldest] = files.keys()
  if (files.size > MOST_KEPT && oldest !== undefined) files.delete(oldest)
}

export function fileOf(id: string): File | undefined {
  return files.get(id)
}
