import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'

// Enough for a loaded machine.
configure({ asyncUtilTimeout: 60_000 })
afterEach(cleanup)
