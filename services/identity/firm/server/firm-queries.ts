import { HttpError } from '#services/framework/http/http-errors.ts'
import { sendBytes } from '#services/framework/http/memory-file.ts'
import type { Queries } from '#services/framework/module.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import type { firmRoutes } from '../firm-api.ts'
import { logoPath } from '../firm.ts'

/** A picture that somebody opens by itself is a document: nothing in it runs or is loaded. */
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

const YEAR_SECONDS = 31_536_000

/** Reads of the firm, all from the log. */
export function firmQueries({ firm, config }: IdentityParts['queries']): Queries<typeof firmRoutes> {
  return {
    shownFirm: { needs: [], handle: async () => ({ body: (await firm.now()).shown }) },

    firm: {
      needs: [],
      handle: async () => {
        const { settings } = await firm.state()
        const { shown, title } = await firm.now()
        const defaults = {
          name: config.firmName ?? null,
          supportEmail: config.supportEmail ?? null,
          senderName: title,
          senderAddress: config.mailFrom,
        }
        return { body: { ...settings, defaults, shown } }
      },
    },

    logo: {
      needs: [],
      handle: async ({ params, response }) => {
        const { logo } = await firm.state()
        if (!logo || logoPath(logo) !== `/firm/logo/${params.name}`)
          throw new HttpError(404, { message: 'This is not the logo of the firm' })
        response.setHeader('Content-Security-Policy', LOGO_POLICY)
        // Its name follows from its content.
        response.setHeader('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`)
        sendBytes(response, logo.type, Buffer.from(logo.content, 'base64'))
        return undefined
      },
    },
  }
}
