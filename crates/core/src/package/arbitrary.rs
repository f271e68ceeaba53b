//! Arbitrary values of any deserializable type, for round-trip tests.
//!
//! The fields come from the type's `Deserialize`, so that a new field is covered without a change here.

use serde::de::value::U32Deserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer,
    MapAccess, SeqAccess, VariantAccess, Visitor, value::Error,
};

/// Maximum number of items in a list.
const ITEMS_MAX: u64 = 3;

/// Strings for names and other text types, one of which is a valid checksum.
const TEXTS: [&str; 6] = [
    "",
    "a",
    "pdf-forms",
    "two\nlines\u{0} \u{feff}日",
    "0",
    "skill-tree-v1:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
];

/// The value generated from a seed.
#[must_use]
pub fn from_seed<T: DeserializeOwned>(seed: u64) -> T {
    let mut random = SeededDeserializer(seed);
    // Some types refuse most strings.
    (0..1000)
        .find_map(|_| T::deserialize(&mut random).ok())
        .expect("one of a thousand values is valid")
}

/// A pseudo-random number generator: `SplitMix64`, <https://prng.di.unimi.it/splitmix64.c>.
struct SeededDeserializer(u64);

impl SeededDeserializer {
    fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn next_under(&mut self, end: u64) -> u64 {
        self.next_number() % end
    }

    fn next_text(&mut self) -> &'static str {
        TEXTS[usize::try_from(self.next_under(TEXTS.len() as u64)).expect("a small number")]
    }
}

/// Generates numbers of every bit length, since small ones are encoded in fewer bytes.
macro_rules! numbers {
    ($($read:ident $visit:ident $kind:ty),*) => {
        $(fn $read<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let bits = self.next_under(65);
            let number = self.next_number().checked_shr(u32::try_from(bits).expect("a small number")).unwrap_or(0);
            visitor.$visit(number as $kind)
        })*
    };
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "any number will do"
)]
impl<'de> Deserializer<'de> for &mut SeededDeserializer {
    type Error = Error;

    numbers!(
        deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64, deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32, deserialize_u64 visit_u64 u64
    );

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("postcard is not self-describing"))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.next_under(2) == 0)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f32(0.5)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(0.5)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_char('日')
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.next_text().to_owned())
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.next_text().to_owned())
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_byte_buf(self.next_text().into())
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_byte_buf(self.next_text().into())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.next_under(2) == 0 {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let left = self.next_under(ITEMS_MAX + 1);
        visitor.visit_seq(SeededItems { random: self, left })
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_seq(SeededItems {
            random: self,
            left: length as u64,
        })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let left = self.next_under(ITEMS_MAX + 1);
        visitor.visit_map(SeededItems { random: self, left })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(fields.len(), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(SeededVariant {
            count: variants.len() as u64,
            random: self,
        })
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

struct SeededItems<'c> {
    random: &'c mut SeededDeserializer,
    left: u64,
}

impl<'de> SeqAccess<'de> for SeededItems<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        seed.deserialize(&mut *self.random).map(Some)
    }
}

impl<'de> MapAccess<'de> for SeededItems<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(&mut *self.random)
    }
}

struct SeededVariant<'c> {
    random: &'c mut SeededDeserializer,
    count: u64,
}

impl<'de> EnumAccess<'de> for SeededVariant<'_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Error> {
        let index: U32Deserializer<Error> = u32::try_from(self.random.next_under(self.count))
            .expect("a small number")
            .into_deserializer();
        Ok((seed.deserialize(index)?, self))
    }
}

impl<'de> VariantAccess<'de> for SeededVariant<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.random)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        self.random.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.random.deserialize_tuple(fields.len(), visitor)
    }
}
