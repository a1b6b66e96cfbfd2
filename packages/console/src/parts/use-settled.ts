// A text, once it has not changed for a moment: each letter would be a request.
import { useEffect, useState } from 'react'

const settleMs = 250

export const useSettled = <Value>(value: Value): Value => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
