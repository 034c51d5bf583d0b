import { createContext } from 'react'

/**
 * The account whose history a trader's stamps lead to: the one that the address names, or that of a row among several.
 * Undefined for the current account.
 */
export const AccountInAddress = createContext<string | undefined>(undefined)
