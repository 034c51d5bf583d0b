import { z } from 'zod'
import { email } from '#services/framework/api/email-address.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, anyCall, del, file, get, notFound, patch, post } from '#services/framework/api/route.ts'
import { code, INVALID, namedRequest, requiredText } from '#services/framework/api/text.ts'
import { LARGEST_LOGO, LONGEST_FIRM_NAME, logoTypes } from './firm-vocabulary.ts'
import { ShownFirm, shownFirmRoutes } from './shown-firm-api.ts'

/** The firm's name, colour, logo, support address and sender. */

const COLOUR = 'Please enter a colour as # and six digits of 0 to 9 and a to f, such as #1d4ed8'
const ADDRESS = 'Please enter a valid email address'

/** An empty field leaves it to the variable. */
const orNothing = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([z.null(), z.literal('').transform(() => null), schema], { error: INVALID })

/** PATCH /api/admin/system/firm: fields that are left out stay. */
export const FirmChange = namedRequest('FirmChange', {
  name: orNothing(requiredText(LONGEST_FIRM_NAME)).optional(),
  accent: orNothing(code(/^#[0-9a-fA-F]{6}$/, 7, COLOUR).toLowerCase()).optional(),
  supportEmail: orNothing(email(ADDRESS)).optional(),
  senderName: orNothing(requiredText(LONGEST_FIRM_NAME)).optional(),
  senderAddress: orNothing(email(ADDRESS)).optional(),
})

/** Of base64 with its padding. */
const LONGEST_LOGO = Math.ceil((LARGEST_LOGO + 1024) / 3) * 4

/** POST /api/admin/system/firm/logo */
export const LogoUpload = namedRequest('LogoUpload', {
  content: described(
    'The SVG or PNG file, as base64',
    code(/^[A-Za-z0-9+/]+={0,2}$/, LONGEST_LOGO, `The file must be at most ${LARGEST_LOGO / 1024} KB`),
  ),
})

const settings = {
  name: z.string().nullable(),
  supportEmail: z.string().nullable(),
  senderName: z.string().nullable(),
  senderAddress: z.string().nullable(),
}

/** GET /api/admin/system/firm: what is set, what stands where nothing is set, and what everybody sees. */
export const FirmAnswer = namedObject('Firm', {
  ...settings,
  accent: z.string().nullable(),
  /** By the variables. */
  defaults: z.object({ ...settings, senderAddress: z.string(), senderName: z.string() }),
  shown: ShownFirm,
})
export type FirmAnswer = z.infer<typeof FirmAnswer>

const logoPath = z.object({ name: described('The file of a logo, as GET /api/firm names it', z.string()) })

export const firmRoutes = {
  ...shownFirmRoutes,
  firm: get('/api/admin/system/firm', 'read', {
    summary: "The firm's name, colour, support address and sender of mails",
    answer: answer('What is set', FirmAnswer),
  }),
  changeFirm: patch('/api/admin/system/firm', 'set-up-firm', {
    summary: "Change the firm's name, colour, support address or sender of mails",
    body: FirmChange,
  }),
  changeLogo: post('/api/admin/system/firm/logo', 'set-up-firm', {
    summary: "Set the firm's logo, an SVG or PNG file",
    body: LogoUpload,
  }),
  removeLogo: del('/api/admin/system/firm/logo', 'set-up-firm', { summary: "Remove the firm's logo" }),
  logo: get('/firm/logo/:name', 'public', {
    summary: "The firm's logo",
    params: logoPath,
    responses: { 200: file(...logoTypes), ...notFound, ...anyCall },
  }),
}
