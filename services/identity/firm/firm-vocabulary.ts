/** The words and limits of the firm's name and colours. */

export const firmFields = ['name', 'accent', 'supportEmail', 'senderName', 'senderAddress'] as const

/** Null where the variable stands, or nothing. */
export type FirmSettings = Readonly<Record<(typeof firmFields)[number], string | null>>

/** It stands beside the navigation, and in every mail. */
export const LONGEST_FIRM_NAME = 60

export const logoTypes = ['image/svg+xml', 'image/png'] as const
export type LogoType = (typeof logoTypes)[number]

/** In bytes: every page shows it. */
export const LARGEST_LOGO = 48 * 1024

/** In pixels, of either side. */
export const MOST_LOGO_PIXELS = 1024

/** What it is called where nobody has named it. */
export const PRODUCT = 'Proofdesk'
