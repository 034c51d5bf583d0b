import type { z } from 'zod'
import { type FirmChange, firmRoutes } from '#services/identity/firm/firm-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange } from '@/features/frame/staff-change.ts'

/** What is set of the firm, and what stands where nothing is set. */
export const firmQuery = routeQuery(firmRoutes.firm, { subjects: ['firm'] })

export const changeFirm = staffChange({
  send: (body: z.input<typeof FirmChange>) => send(firmRoutes.changeFirm, { body }),
  done: () => ['Name and colours saved', 'Open pages show them at once. Mails that wait carry them, too.'],
  failed: () => 'The name and colours were not saved',
})

export const changeLogo = staffChange({
  send: async (file: File) => send(firmRoutes.changeLogo, { body: { content: await base64Of(file) } }),
  done: () => ['Logo saved', 'Open pages show it at once.'],
  failed: () => 'The logo was not saved',
})

export const removeLogo = staffChange({
  send: (_: void) => send(firmRoutes.removeLogo),
  done: () => ['Logo removed', "Pages show the firm's name alone."],
  failed: () => 'The logo was not removed',
})

/** A browser reads a file as 'data:<type>;base64,<content>'. */
async function base64Of(file: File): Promise<string> {
  const reader = new FileReader()
  const read = new Promise<void>((resolve, reject) => {
    reader.addEventListener('load', () => resolve())
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file could not be read')))
  })
  reader.readAsDataURL(file)
  await read
  return String(reader.result).replace(/^[^,]*,/, '')
}
