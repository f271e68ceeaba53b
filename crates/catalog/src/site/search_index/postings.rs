//! Lists of row numbers as text: what a page's script reads back (`rows` in `assets/site.js`).
//!
//! ```text
//! [0, 1, 40]      differences less one, five bits a character, a sixth if more follow:   "AAmB"
//! many of all     "!" and a bit for each row, six a character, the lowest bit first
//! ```

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Encodes rows, which are sorted and different, in the shorter of both forms.
pub(super) fn encode_rows(rows: &[u32]) -> String {
    let differences = encode_differences(rows);
    let bits = rows.last().map_or(0, |last| *last as usize / 6 + 2);

    if bits < differences.len() {
        encode_bits(rows)
    } else {
        differences
    }
}

fn encode_differences(rows: &[u32]) -> String {
    let mut text = String::new();
    let mut next = 0;

    for &row in rows {
        let mut left = row - next;
        next = row + 1;
        while left >= 32 {
            text.push(letter(left % 32 + 32));
            left /= 32;
        }
        text.push(letter(left));
    }
    text
}

fn encode_bits(rows: &[u32]) -> String {
    let mut bits = vec![0_u32; rows.last().map_or(0, |last| *last as usize / 6 + 1)];
    for &row in rows {
        bits[row as usize / 6] |= 1 << (row % 6);
    }
    std::iter::once('!')
        .chain(bits.into_iter().map(letter))
        .collect()
}

fn letter(six_bits: u32) -> char {
    char::from(ALPHABET[six_bits as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(text: &str) -> Vec<u32> {
        let value = |c: u8| {
            (0..)
                .zip(ALPHABET)
                .find(|(_, known)| **known == c)
                .unwrap()
                .0
        };
        let mut rows = Vec::new();
        if let Some(bits) = text.strip_prefix('!') {
            for (at, c) in (0_u32..).zip(bits.bytes()) {
                rows.extend(
                    (0..6)
                        .filter(|bit| value(c) >> bit & 1 == 1)
                        .map(|bit| at * 6 + bit),
                );
            }
            return rows;
        }
        let (mut next, mut shift, mut sum) = (0, 0, 0);
        for c in text.bytes() {
            sum += (value(c) & 31) << shift;
            shift += 5;
            if value(c) < 32 {
                rows.push(next + sum);
                next += sum + 1;
                (shift, sum) = (0, 0);
            }
        }
        rows
    }

    #[test]
    fn rows_are_read_back() {
        assert_eq!(encode_rows(&[0, 1, 40]), "AAmB");
        for rows in [
            vec![],
            vec![0],
            vec![31, 32, 63, 64, 99_999],
            (0..1_000).collect(),
            (0..10_000).filter(|row| row % 3 > 0).collect(),
            (0..3_000).map(|row| row * 33).collect(),
        ] {
            assert_eq!(decode(&encode_rows(&rows)), rows);
        }
        // A filter that takes half of all packages is a sixth of a byte each.
        let half: Vec<u32> = (0..100_000).filter(|row| row % 2 == 0).collect();
        assert_eq!(encode_rows(&half).len(), 16_668);
    }
}
