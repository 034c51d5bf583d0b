import { execFile } from 'node:child_process'
import { relative } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'

const Failure = z.object({ code: z.int(), stderr: z.string() })

/**
 * The files below a folder whose bytes contain a text, relative to it and in order. The folder may be in use: a child
 * process reads, because closing a file in the process that has it open as a database drops SQLite's locks on it; and
 * the search starts again when a file, such as a mail that is being written, was renamed or removed meanwhile.
 */
export async function filesContaining(text: string, folder: string): Promise<string[]> {
  for (;;) {
    try {
      const { stdout } = await promisify(execFile)('grep', ['-rlaF', '-e', text, folder], {
        env: { ...process.env, LC_ALL: 'C' },
      })
      return stdout
        .split('\n')
        .filter((path) => path !== '')
        .map((path) => relative(folder, path))
        .sort()
    } catch (error) {
      const { code, stderr } = Failure.parse(error)
      if (code === 1) return []
      if (!stderr.includes('No such file or directory')) throw error
    }
  }
}
