import { fileURLToPath } from 'node:url'
import { compressed } from '../compressed.ts'
import { withoutJsonSchema, withoutOtherSubjects } from '../stubs.ts'
import { singlePageBuild } from './single-page.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Builds the verify page, with the domain's own code. */
export default singlePageBuild('verify', {
  resolve: {
    alias: [
      { find: /^zod$/, replacement: path('zod.ts') },
      { find: /^immutable$/, replacement: path('immutable.ts') },
    ],
  },
  plugins: [withoutJsonSchema(), withoutOtherSubjects(), compressed()],
})
