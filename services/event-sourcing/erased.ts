/** The value of a personal text after its person was deleted (design: "Personal data and deletion"). */
export const ERASED = 'erased'
