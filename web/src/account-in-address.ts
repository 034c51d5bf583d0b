import { createContext } from 'react'

/**
 * The account whose history a trader's stamps lead to: the one that the address names, or that of a row among several.
 * Undefined for the current account.
 */
export const AccountInAddress = createContext<string | undefined>(undefined)

/** The user whose account staff look at: stamps and events lead to the audit of that user. Undefined for the trader. */
export const ReadByStaff = createContext<string | undefined>(undefined)
