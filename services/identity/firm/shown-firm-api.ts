import { z } from 'zod'
import { namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, get } from '#services/framework/api/route.ts'

/** What everybody sees of the firm. Every page imports this, so it imports little. */

/** GET /api/firm */
export const ShownFirm = namedObject('ShownFirm', {
  /** Null where nobody has named it. */
  name: z.string().nullable(),
  /** Four CSS colours: the accent, under the pointer, behind what is chosen, and of text on it; null for the app's own. */
  accent: z.array(z.string()).nullable(),
  /** In pixels, and the address of its file. */
  logo: z.object({ path: z.string(), width: z.int(), height: z.int() }).nullable(),
  supportEmail: z.string().nullable(),
})
export type ShownFirm = z.infer<typeof ShownFirm>

export const shownFirmRoutes = {
  shownFirm: get('/api/firm', 'public', {
    summary: "The firm's name, colours and support address, as every page shows them",
    answer: answer('What is shown', ShownFirm),
  }),
}
