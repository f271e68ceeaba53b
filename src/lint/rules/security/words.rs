//! Looking for a thousand words at once, in any case, about as fast as a text can be read.
//!
//! Of each word the three letters in a row are kept that are rarest in other texts. A text is read once, three letters at
//! a time; where three are some word's, that word is held against the place. An automaton of all words takes megabytes,
//! tens of milliseconds to build, and twice the time to run.

use std::collections::HashMap;
use std::ops::Range;

/// How often a class of bytes occurs, in a thousand: where three are not among [`COMMON`], the sum says how rare they are.
const COMMONNESS: [u16; CLASSES] = [
    52, 8, 30, 25, 83, 13, 14, 15, 50, 1, 5, 29, 19, 48, 47, 23, 2, 48, 49, 63, 20, 8, 7, 4, 10, 1, 10, 164, 29, 4, 15,
    10, 4, 7, 1, 7, 3, 10, 4, 1, 1, 1, 5, 5, 2, 2, 2, 2, 3, 1, 9, 5, 8, 2, 1, 1, 1, 1, 1, 1, 1, 9, 1, 1,
];
/// Three classes in a row that occur most, counted in some hundred skills; the most frequent first.
#[rustfmt::skip]
const COMMON: &str = concat!(
    "   \n  iontioingent co re th---ati\n- theate anconon and inng or forhe nd ed onsproer es \n\n#",
    " prmen foter seectest##  de\n## tores stcomseruseverdat | ctint  **000ratstates = ```reaage",
    ",\n str\n``re st essamenteontte ersto  paacts ase ints, odein ithnce te ustortrale  wi** al ",
    "e a fimplitye ttinces exturtatperth all a witure0.  mais der{\n  noce ompted###e cemeeveist",
    "ata caine - iletrivalnamplets endlin:\n  orextencbleappe sstecalfilives\n\n |\nnti``\n {\nnotpat",
    "rinica\n| ains tmat on.\n\nchenal is mo 00nsteraidemanrenortles|\n|at on\n  -pti tr- *ervlatite",
    "ass);\nplacattemase`\n\nntsitiern\n\n eririt  \"es\naliscrworerell t t\n\n-eat wh do berec chit \n0.",
    "ns  me apoutoreen ablry criequportimromgenn tsioice dily ack enrace iorm, a\n**attcresel da",
    "tenret asancquende lit a;\n ult ar  }inslow**:imps\n-ntaies\n\n`typreqaile pot nertic vass one",
    "getmod locodorktexgra neeaderrdesstide n aareiptt s\": trud thanty  frprehatve t counsetype",
    "thie: indanadenpri*: ovette:**ouroperip scireredommref0.0 ace fif rep\n\n*  re, metan lic)\n ",
    ": \" alom thoct poshendine rdefchaic eteexpssipenfrocurbas -- clparrn ucts iacert  itge run",
    "uesfer im sulitch s fmpoetu 0.rrosesust  s00 imeifi opsec buurnpond ame putordtivautstoe d",
    "depelfet ntrsinhisdocundt ieleut  spror ofertangpectecrma// lis  cven| `e mmeswhe ru)\n\ndel",
    "ficramoolrs hergin pepli na poe o harceize if }\nt peneyou ta barou, `logrvi`, ranoriecuost",
    "onfighaluninminlemr ajecne ck vic**\ntchart ve crtabumearis o aurcht f, s la: ss: son mis c",
    " fad cill. *nitn sescd ssper ts**earnsipacachoptecocolof qui gee eapicor\n# floincili shory",
    "tegeciclaas r ctooctuathfinimirolthaualnfimaiges` |tars sardg adislue silidtaln ceacow spa",
    "s wt ratu uneck wolastomt, s (ngeerys.\noculoccan: 0\",\ntai': vieng\n  |hec0, iew, cinidowens",
    "revsoues,velimamar evremr sarc.\n-ownollarg  'urc yod iastes.ignsseesp quaddn, leatan;\n\n ad",
);
const CLASSES: usize = 64;
/// How many sets of three classes there are.
const KEYS: usize = CLASSES * CLASSES * CLASSES;
/// Slots of the table of keys: a power of two, several times as many as there are keys.
const SLOTS: usize = 8192;
/// Marks that have a class of their own, after the letters, figures, blanks and line ends.
const MARKS: &[u8] = b"_-./:\\\"'`|<>$(){}[]=+*#,;!?@&%^~";
/// A set of words.
pub(super) struct Words {
    list: Vec<&'static str>,
    class: [u8; 256],
    /// One bit for each three classes: whether some word has them.
    has: Vec<u64>,
    /// Keys, hashed: the key, and where its words stand in `at`.
    slots: Vec<(u32, Range<u16>)>,
    /// Words, and how far into them their three classes stand.
    at: Vec<(u16, u8)>,
}

impl Words {
    /// Makes a set of words in lower case, each of two letters at least.
    pub(super) fn new(words: Vec<&'static str>) -> Self {
        let class = classes();
        let common = common(&class);
        let mut keyed: Vec<(usize, u16, u8)> = Vec::new();
        for (number, word) in words.iter().enumerate() {
            let (keys, offset) = rarest(word.as_bytes(), &class, &common);
            keyed.extend(keys.into_iter().map(|key| (key, small(number), offset)));
        }
        keyed.sort_unstable();
        let mut has = vec![0u64; KEYS / 64];
        let mut slots = vec![(u32::MAX, 0..0); SLOTS];
        let mut start = 0;
        for same in keyed.chunk_by(|a, b| a.0 == b.0) {
            let key = same[0].0;
            has[key / 64] |= 1 << (key % 64);
            let mut slot = hash(key);
            while slots[slot].0 != u32::MAX {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = (u32::try_from(key).expect("a key has 18 bits"), small(start)..small(start + same.len()));
            start += same.len();
        }
        let at = keyed.into_iter().map(|(_, number, offset)| (number, offset)).collect();
        Words { list: words, class, has, slots, at }
    }

    /// Calls `found` with each word of the set in a text, and where it stands, about in the order of places.
    pub(super) fn each_in(&self, text: &str, mut found: impl FnMut(usize, Range<usize>)) {
        let bytes = text.as_bytes();
        let has: &[u64; KEYS / 64] = self.has.as_slice().try_into().expect("it has so many");
        let mut key = 0;
        for (at, byte) in bytes.iter().enumerate() {
            key = (key << 6 | usize::from(self.class[usize::from(*byte)])) % KEYS;
            if has[key / 64] >> (key % 64) & 1 == 1 && at >= 2 {
                self.verify(bytes, key, at - 2, &mut found);
            }
        }
    }

    #[inline(never)]
    fn verify(&self, bytes: &[u8], key: usize, at: usize, found: &mut impl FnMut(usize, Range<usize>)) {
        let mut slot = hash(key);
        while self.slots[slot].0 as usize != key {
            if self.slots[slot].0 == u32::MAX {
                return;
            }
            slot = (slot + 1) % SLOTS;
        }
        let range = &self.slots[slot].1;
        for (number, offset) in &self.at[usize::from(range.start)..usize::from(range.end)] {
            let word = self.list[usize::from(*number)].as_bytes();
            let Some(start) = at.checked_sub(usize::from(*offset)) else { continue };
            let Some(there) = bytes.get(start..start + word.len()) else { continue };
            if there.eq_ignore_ascii_case(word) {
                found(usize::from(*number), start..start + word.len());
            }
        }
    }
}

fn small(number: usize) -> u16 {
    u16::try_from(number).expect("there are some thousand words")
}

fn hash(key: usize) -> usize {
    (key.wrapping_mul(0x9e37_79b1) >> 12) % SLOTS
}

fn classes() -> [u8; 256] {
    let mut class = [61; 256];
    for (byte, class) in (0..=u8::MAX).zip(&mut class) {
        *class = match byte {
            byte if byte.is_ascii_alphabetic() => byte.to_ascii_lowercase() - b'a',
            byte if byte.is_ascii_digit() => 26,
            b'\n' => 28,
            byte if byte.is_ascii_whitespace() => 27,
            // First bytes of letters: of Cyrillic and its neighbours, of the East.
            0xd0..=0xdf => 63,
            0xe3..=0xef => 62,
            byte => {
                MARKS.iter().position(|mark| *mark == byte).map_or(61, |at| 29 + u8::try_from(at).unwrap_or_default())
            }
        };
    }
    class
}

/// The places of common keys in their list.
fn common(class: &[u8; 256]) -> HashMap<usize, usize> {
    let key = |three: &[u8]| three.iter().fold(0, |key, byte| key << 6 | usize::from(class[usize::from(*byte)]));
    COMMON.as_bytes().chunks_exact(3).enumerate().map(|(at, three)| (key(three), at)).collect()
}

/// The rarest three classes of a word, as keys (several where it has only two), and where in it they stand.
fn rarest(word: &[u8], class: &[u8; 256], common: &HashMap<usize, usize>) -> (Vec<usize>, u8) {
    let of = |at: usize| usize::from(class[usize::from(word[at])]);
    if word.len() < 3 {
        return ((0..CLASSES).map(|third| (of(0) << 12) | (of(1) << 6) | third).collect(), 0);
    }
    let key = |at: usize| (of(at) << 12) | (of(at + 1) << 6) | of(at + 2);
    let cost = |at: &usize| -> usize {
        let sum: u16 = (*at..at + 3).map(|at| COMMONNESS[of(at)]).sum();
        common.get(&key(*at)).map_or(usize::from(sum), |rank| 1_000_000 - rank)
    };
    let best = (0..word.len() - 2).min_by_key(cost).unwrap_or_default();
    (vec![key(best)], u8::try_from(best).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_wherever_it_stands_and_in_any_case() {
        let words = Words::new(vec!["curl", "''", "://4", "\nsystem:", "| sh", "不要", "xyzzy"]);
        let text = "Curl '' x http://45 a\nSYSTEM: b | SH curlcurl 不要 ''.";
        let mut found = Vec::new();
        words.each_in(text, |number, range| found.push((number, text[range].to_owned())));
        found.sort();
        let wanted = [
            (0, "Curl"),
            (0, "curl"),
            (0, "curl"),
            (1, "''"),
            (1, "''"),
            (2, "://4"),
            (3, "\nSYSTEM:"),
            (4, "| SH"),
            (5, "不要"),
        ];
        assert_eq!(found, wanted.map(|(number, text)| (number, text.to_owned())));
    }
}
