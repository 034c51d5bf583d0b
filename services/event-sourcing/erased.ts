/** What an erased text reads once its person was deleted (design: "Personal data and deletion"). */
export const ERASED = 'erased'
